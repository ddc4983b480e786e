/// What a recording does.
public enum RecordingState: Sendable, Hashable {
    /// Nobody wants it recorded at the moment.
    case stopped
    /// Its playlists are looked for.
    case starting
    /// It records.
    case recording
    /// Nothing comes: why, in words. It goes on when something does.
    case waiting(String)
    /// Its stream has ended, or its time is over.
    case ended
}
