import HLS

/// A window lies outside what is kept of a recording.
package struct OutsideRecording: Error, Sendable, CustomStringConvertible {
    /// Which channel.
    package let channel: ChannelName
    /// What is wrong, in words.
    package let what: String
    /// What is kept, in nanoseconds since 1970.
    package let kept: [Range<Int64>]

    /// One sentence, with what is kept.
    package var description: String {
        let ranges = kept.suffix(4).map {
            "\(DateTime(nanosecondsSinceEpoch: $0.lowerBound / 1_000_000 * 1_000_000)) to "
                + "\(DateTime(nanosecondsSinceEpoch: $0.upperBound / 1_000_000 * 1_000_000))"
        }
        return "\(channel): \(what); "
            + (ranges.isEmpty ? "nothing is kept" : "kept is \(ranges.joined(separator: ", "))")
    }
}
