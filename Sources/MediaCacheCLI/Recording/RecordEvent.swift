import MediaCacheAPI

/// A line of `record --json`.
struct RecordEvent: Encodable, Sendable {
    enum Kind: String, Encodable, Sendable {
        case state
        case progress
        case gap
        /// The last line.
        case result
    }

    var kind: Kind
    var record: ChannelRecord
    /// The gaps since the start of the command.
    var lost: LostSegments
    var gap: LostSegments.Gap?
    var error: String?

    private enum CodingKeys: String, CodingKey {
        case event, channel, url, liveURL, state, reason, edge, recordedRanges, seconds, bytes, segments, rate, gaps,
            gapSeconds
        case track, number, start, duration, complete, gapList, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .event)
        try container.encode(record.name, forKey: .channel)
        if let gap {
            try container.encode(gap.track, forKey: .track)
            try container.encode(gap.number, forKey: .number)
            try container.encode(gap.start, forKey: .start)
            try container.encode(gap.duration, forKey: .duration)
            try container.encodeIfPresent(gap.reason, forKey: .reason)
            return
        }
        try container.encode(record.url, forKey: .url)
        try container.encode(record.liveURL, forKey: .liveURL)
        try container.encode(record.state, forKey: .state)
        try container.encodeIfPresent(record.reason, forKey: .reason)
        try container.encodeIfPresent(record.edge, forKey: .edge)
        try container.encode(record.recordedRanges, forKey: .recordedRanges)
        try container.encode(record.recordedSeconds, forKey: .seconds)
        try container.encode(record.bytes, forKey: .bytes)
        try container.encode(record.segments, forKey: .segments)
        try container.encode(lost.count, forKey: .gaps)
        try container.encode(lost.seconds, forKey: .gapSeconds)
        guard kind == .result else {
            try container.encode(record.rate, forKey: .rate)
            return
        }
        try container.encode(error == nil, forKey: .complete)
        if lost.count > 0 { try container.encode(lost.gaps, forKey: .gapList) }
        try container.encodeIfPresent(error, forKey: .error)
    }
}
