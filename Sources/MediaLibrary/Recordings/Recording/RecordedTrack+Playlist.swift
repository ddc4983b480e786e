internal import HLS
internal import MediaCache

extension RecordedTrack {
    /// The maximum interval between loads of an unavailable playlist that the multivariant playlist doesn't list.
    private static let maximumAbsentInterval = Duration.seconds(120)

    /// Returns the time from the start of the last load to the next load (RFC 8216bis §6.3.4).
    ///
    /// - Parameter outcome: The outcome of the last load; nil if it failed.
    func interval(after outcome: PlaylistReload.Outcome?, at now: Duration) -> Duration {
        if outcome == nil, !isNamed, let loadFailure {
            // The track may have been removed for good.
            return min(max(.seconds(1), (now - loadFailure.since) / 4), Self.maximumAbsentInterval)
        }
        guard let known = follower.known else { return .seconds(1) }
        let target = targetDuration
        // The other copies are tried immediately.
        if failedCopies % urls.count > 0 { return .zero }
        guard let outcome else { return min(target / 2, .seconds(3)) }
        // A playlist with EXT-X-ENDLIST may still continue until the recording accepts the end.
        guard let interval = known.reloadInterval(after: outcome) else { return max(target / 2, .seconds(1)) }
        // A server that announces blocking reloads but responds immediately must not be polled in a loop.
        let hasNewRows = loaded == nil || renewed == loaded
        if known.nextDirectives(includesParts: false).mediaSequence != nil, outcome == .updated, hasNewRows {
            return .zero
        }
        return interval
    }

    /// Notes a load of identical bytes: awaited segments of the last load are still in the playlist.
    func noteUnchangedPlaylist(at now: Duration) {
        let last = loaded
        noteLoad(isEmpty: false, isNew: false, at: now)
        for segment in awaited.values where segment.seen == last { awaited[segment.row.number]?.seen = now }
    }

    /// Notes a successful load.
    ///
    /// - Parameters:
    ///   - isEmpty: Whether the playlist has no segments.
    ///   - isNew: Whether it has segments that the timeline lacked.
    func noteLoad(isEmpty: Bool, isNew: Bool, at now: Duration) {
        if isNew, loaded != nil { hasChanged = true }
        if isNew || loaded == nil { renewed = now }
        if isNew { refusesDirectives = false }
        loaded = now
        missingSince = nil
        endedSince = follower.hasEndList ? endedSince ?? now : nil
        guard loadFailure != nil, !isEmpty || follower.known?.segments.isEmpty == false else { return }
        loadFailure = nil
        // The origin may serve segments again: each is requested once more before it is given up.
        recovered = now
        queue.retryAll()
    }

    /// Updates the links of awaited segments that are still in the playlist.
    ///
    /// - Parameter isOtherCopy: Whether the playlist comes from a different copy than the previous one.
    /// - Returns: Whether all awaited segments are still in the playlist.
    func refreshAwaited(at now: Duration, isOtherCopy: Bool) -> Bool {
        var areAllPresent = true
        for segment in awaited.values {
            let number = segment.row.number
            guard let row = follower.refreshed(segment.row) else {
                areAllPresent = false
                continue
            }
            awaited[number]?.seen = now
            awaited[number]?.row = row
            if segment.media != nil {
                // Only the companions' links are updated, since the media is cached already.
                awaited[number]?.row.url = segment.row.url
                awaited[number]?.row.range = segment.row.range
                continue
            }
            if isOtherCopy, segment.row.url != row.url { awaited[number]?.mayBeFromOtherCopy = true }
        }
        return areAllPresent
    }
}
