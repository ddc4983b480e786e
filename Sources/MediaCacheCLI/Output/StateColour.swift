import MediaCacheAPI

/// The colours of states: red for failures, yellow for pauses and waits, green for completion, none for normal
/// activity.
extension TextStyle.Colour {
    /// Creates the colour of a download's state.
    init?(_ state: DownloadRecord.State) {
        switch state {
        case .failed: self = .red
        case .paused, .waiting, .completeWithHoles: self = .yellow
        case .complete: self = .green
        case .queued, .running: return nil
        }
    }

    /// Creates the colour of a channel's state.
    init?(_ state: ChannelRecord.State) {
        switch state {
        case .waiting, .stopped: self = .yellow
        case .ended: self = .green
        case .starting, .recording: return nil
        }
    }
}
