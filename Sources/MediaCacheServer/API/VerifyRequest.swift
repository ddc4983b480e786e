/// The body of `POST /api/v1/verify`, which answers with a `VerifyReport` when all has been read: a caller sets no
/// deadline.
public struct VerifyRequest: Codable, Sendable, Hashable {
    /// Whether what is damaged is given up, to be fetched again.
    public var repair: Bool

    /// Creates a request.
    public init(repair: Bool = false) {
        self.repair = repair
    }
}
