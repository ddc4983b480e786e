/// The times of frames that have no time stamp of their own: each follows the one before it by the frame's length.
///
/// Frame lengths of sound seldom are whole ticks. Ends are rounded on the grid of whole frames counted from 0, so that
/// a run of any length drifts by less than a tick from each time stamp.
enum FrameClock {
    /// The end in ticks of 90 kHz of a frame that starts at `start`.
    static func end(of start: Int64, _ duration: FrameParser.FrameDuration) -> Int64 {
        guard duration.samples > 0, duration.rate > 0, duration.samples < 1 << 20 else { return start }
        let ticks = duration.samples * 90_000
        guard ticks % duration.rate != 0 else { return start.addingClamped(ticks / duration.rate) }
        let (product, overflow) = start.multipliedReportingOverflow(by: duration.rate)
        // Times that far from 0 only come from damage.
        guard !overflow, start.magnitude < 1 << 45 else { return start.addingClamped(ticks / duration.rate) }
        let frame = rounded(product, over: ticks)
        return start + rounded((frame + 1) * ticks, over: duration.rate) - rounded(frame * ticks, over: duration.rate)
    }

    /// Half away from zero.
    private static func rounded(_ value: Int64, over divisor: Int64) -> Int64 {
        value >= 0 ? (value + divisor / 2) / divisor : -((divisor / 2 - value) / divisor)
    }
}
