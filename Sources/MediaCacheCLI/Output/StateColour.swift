import MediaCacheAPI

/// The colours of states in lists: red is what needs somebody, yellow what rests or waits, green what is done. What goes on
/// as it should has none.
extension TextStyle.Colour {
    /// Of a download's state.
    init?(_ state: DownloadRecord.State) {
        switch state {
        case .failed: self = .red
        case .paused, .waiting, .completeWithHoles: self = .yellow
        case .complete: self = .green
        case .queued, .running: return nil
        }
    }

    /// Of a channel's state.
    init?(_ state: ChannelRecord.State) {
        switch state {
        case .waiting, .stopped: self = .yellow
        case .ended: self = .green
        case .starting, .recording: return nil
        }
    }
}
