/// The body of `PATCH /api/v1/downloads/<id>`: what is null stays as it is.
public struct DownloadUpdate: Codable, Sendable, Hashable {
    /// What a download is to do.
    public enum State: String, Codable, Sendable, Hashable {
        /// Its bytes stop.
        case paused
        /// It goes on, also where it failed or has holes.
        case running
        /// A stream that still grows is taken as it is now.
        case finished
    }

    /// What it is to do.
    public var state: State?
    /// What goes first: the greater.
    public var priority: Int?

    /// Creates an update.
    public init(state: State? = nil, priority: Int? = nil) {
        self.state = state
        self.priority = priority
    }
}
