public import MediaLibrary

/// The body of `PATCH /api/v1/channels/<name>`; what is null stays.
public struct ChannelUpdate: Codable, Sendable, Hashable {
    /// What may be wanted of a recording.
    public enum State: String, Codable, Sendable, Hashable {
        /// That it goes on.
        case recording
        /// That it rests.
        case stopped
        /// That it's over, and becomes an asset.
        case ended
    }

    /// What is wanted of its recording.
    public var state: State?
    /// How much of it is kept.
    public var retention: Retention?

    /// Creates an update.
    public init(state: State? = nil, retention: Retention? = nil) {
        self.state = state
        self.retention = retention
    }
}
