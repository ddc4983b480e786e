/// A stretch of one clock in what a remuxer made. Times are ticks of 90 kHz.
public struct JoinedStretch: Sendable, Hashable {
    /// When its first sample is shown, on its own clock with wraps undone.
    public var start: Int64
    /// When its last sample ends, likewise.
    public var end: Int64
    /// What was added to its times to bring them onto the output's timeline.
    public var shift: Int64

    /// A stretch.
    public init(start: Int64, end: Int64, shift: Int64) {
        self.start = start
        self.end = end
        self.shift = shift
    }
}
