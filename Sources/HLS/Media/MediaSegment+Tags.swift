extension MediaSegment {
    /// The wall-clock time that the playlist gives for the segment's first sample (RFC 8216bis, section 4.4.4.6); see
    /// ``ResolvedSegment/programDateTime`` for the one that follows from earlier segments.
    public var programDateTime: DateTime? {
        get {
            for case .programDateTime(let date) in tags { return date }
            return nil
        }
        set {
            tags.removeAll { if case .programDateTime = $0 { true } else { false } }
            if let newValue { tags.insert(.programDateTime(newValue), at: 0) }
        }
    }

    /// The bit rate that the playlist gives here, in kilobits per second (4.4.4.8); see ``ResolvedSegment/bitrate``.
    public var bitrate: Int? {
        get {
            for case .bitrate(let rate) in tags.reversed() { return rate }
            return nil
        }
        set {
            tags.removeAll { if case .bitrate = $0 { true } else { false } }
            if let newValue { tags.append(.bitrate(newValue)) }
        }
    }

    /// The partial segments (4.4.4.9).
    public var parts: [PartialSegment] {
        tags.compactMap { if case .part(let part) = $0 { part } else { nil } }
    }

    /// The date ranges that stand before the segment (4.4.5.1).
    public var dateRanges: [DateRange] {
        tags.compactMap { if case .dateRange(let range) = $0 { range } else { nil } }
    }

    /// The cues that stand before the segment.
    public var cues: [AdvertisementCue] {
        tags.compactMap { if case .cue(let cue) = $0 { cue } else { nil } }
    }

    /// The unknown tags that stand before the segment.
    public var unknownTags: [UnknownTag] {
        tags.compactMap { if case .unknown(let tag) = $0 { tag } else { nil } }
    }
}
