import HLS

/// An error that reports a window outside the recorded time.
package struct OutsideRecording: Error, Sendable, CustomStringConvertible {
    /// The channel.
    package let channel: ChannelName
    /// A description of the problem.
    package let what: String
    /// The recorded time ranges, in nanoseconds since 1970.
    package let kept: [Range<Int64>]

    /// A sentence that includes the recorded time ranges.
    package var description: String {
        let ranges = kept.suffix(4).map {
            "\(DateTime(nanosecondsSinceEpoch: $0.lowerBound / 1_000_000 * 1_000_000)) to "
                + "\(DateTime(nanosecondsSinceEpoch: $0.upperBound / 1_000_000 * 1_000_000))"
        }
        return "\(channel): \(what); "
            + (ranges.isEmpty ? "nothing is recorded" : "recorded: \(ranges.joined(separator: ", "))")
    }
}
