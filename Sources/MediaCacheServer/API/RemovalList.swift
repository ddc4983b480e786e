public import MediaCache

/// The answer of a DELETE on one resource or on all.
public struct RemovalList: Codable, Sendable, Hashable {
    /// What was removed, or will be when its last reader leaves.
    public var removed: [Removal]

    /// Creates a list.
    public init(removed: [Removal]) {
        self.removed = removed
    }
}
