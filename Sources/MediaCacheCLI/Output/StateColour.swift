import MediaCacheAPI

/// The colors of states: red for failures, yellow for pauses, waits, stops and missing parts, green for completion,
/// none for normal activity.
extension TextStyle.Colour {
    /// Creates the color of a download's state; nil for none.
    init?(_ state: DownloadRecord.State) {
        switch state {
        case .failed: self = .red
        case .paused, .waiting, .completeWithHoles: self = .yellow
        case .complete: self = .green
        case .queued, .running: return nil
        }
    }

    /// Creates the color of a channel's state; nil for none.
    init?(_ state: ChannelRecord.State) {
        switch state {
        case .waiting, .stopped: self = .yellow
        case .ended: self = .green
        case .starting, .recording: return nil
        }
    }
}
