import MediaCacheAPI

/// The colors of states: red for failures, yellow for pauses, waits, stops and missing parts, green for completion,
/// none for normal activity.
extension TextStyle.Color {
    init?(_ state: DownloadRecord.State) {
        switch state {
        case .failed: self = .red
        case .paused, .waiting, .completeWithHoles: self = .yellow
        case .complete: self = .green
        case .queued, .running: return nil
        }
    }

    init?(_ state: ChannelRecord.State) {
        switch state {
        case .waiting, .stopped: self = .yellow
        case .ended: self = .green
        case .starting, .recording: return nil
        }
    }
}
