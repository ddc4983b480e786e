extension MediaPlaylist {
    /// How long to wait before loading the playlist again, from the beginning of the last load (RFC 8216bis, section
    /// 6.3.4): its target duration after a change, half of it otherwise.
    ///
    /// - Parameter outcome: what the last load brought.
    /// - Returns: the least time to wait; nil where the playlist won't change any more.
    public func reloadInterval(after outcome: PlaylistReload.Outcome) -> Duration? {
        if hasEndList || type == .onDemand { return nil }
        // A playlist without a target duration is broken; its last segment gives a pace, a second the least.
        let target = Duration.seconds(max(1, targetDuration ?? segments.last?.duration.roundedUp ?? 1))
        switch outcome {
        case .updated, .reset: return target
        case .unchanged, .stale: return target / 2
        }
    }

    /// The time without a change after which a client may take the server to have stalled: one and a half target
    /// durations (section 6.3.4).
    public var stallInterval: Duration {
        .seconds(max(1, targetDuration ?? 1)) * 3 / 2
    }

    /// The directives of the next load (section 6.2.5).
    ///
    /// - Parameters:
    ///   - age: how old the known playlist is. A delta update isn't asked where that is more than half of the skip boundary:
    ///     too much might be left out.
    ///   - wantsParts: whether partial segments are of use. Otherwise the server is asked once per segment.
    /// - Returns: no directives where the server can neither hold the request nor leave segments out.
    public func nextDirectives(age: Duration = .zero, wantsParts: Bool = true) -> DeliveryDirectives {
        var directives = DeliveryDirectives()
        guard let control = serverControl, !hasEndList else { return directives }
        if control.canBlockReload {
            directives.mediaSequence = nextMediaSequence
            if wantsParts, partInformation != nil { directives.part = upcoming?.parts.count ?? 0 }
        }
        if let boundary = control.canSkipUntil, age <= .nanoseconds(boundary.nanoseconds) / 2, !segments.isEmpty {
            directives.skip = control.canSkipDateRanges ? .segmentsAndDateRanges : .segments
        }
        return directives
    }
}
