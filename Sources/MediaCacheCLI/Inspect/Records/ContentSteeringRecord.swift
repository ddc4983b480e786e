import HLS

/// EXT-X-CONTENT-STEERING in JSON.
struct ContentSteeringRecord: Encodable, Sendable {
    /// Where the steering manifest is.
    @Nullable var serverURI: String?
    /// The pathway to start with.
    @Nullable var pathwayID: String?

    /// The record of a tag.
    init(_ steering: ContentSteering) {
        serverURI = steering.serverURI.unlessEmpty
        pathwayID = steering.pathwayID
    }
}
