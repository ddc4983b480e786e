/// The answer of `POST /api/v1/prune`.
public struct PruneReport: Codable, Sendable, Hashable {
    /// Bytes given up to keep the limits.
    public var bytesFreed: Int64

    /// Creates a report.
    public init(bytesFreed: Int64) {
        self.bytesFreed = bytesFreed
    }
}
