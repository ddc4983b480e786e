/// What the demo's page asks for at `/demo/state`.
struct DemoState: Codable, Sendable, Hashable {
    /// The clip's URL at the origin.
    var clipURL: String
    /// The clip's length in bytes.
    var clipLength: Int64
    /// Body bytes that the origin has sent since this start.
    var originBytesSent: Int64
    /// Requests that the origin has answered since this start.
    var originRequests: Int
}
