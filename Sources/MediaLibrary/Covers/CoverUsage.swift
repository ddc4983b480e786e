/// How much is kept of the pictures of assets.
public struct CoverUsage: Sendable, Hashable, Codable {
    /// How many there are.
    public var covers: Int
    /// Their bytes.
    public var bytes: Int64

    /// A sum.
    public init(covers: Int, bytes: Int64) {
        self.covers = covers
        self.bytes = bytes
    }
}
