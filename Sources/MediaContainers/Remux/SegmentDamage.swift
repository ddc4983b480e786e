/// A segment of which something couldn't be carried over.
public struct SegmentDamage: Sendable {
    /// The first obstacle in the segment.
    public var error: ContainerError
    /// Whether the rest of the segment wasn't read.
    public var isCutShort: Bool
    /// Whether the segment gave no samples at all.
    public var isEmpty: Bool

    /// Damage of a segment.
    public init(error: ContainerError, isCutShort: Bool, isEmpty: Bool) {
        self.error = error
        self.isCutShort = isCutShort
        self.isEmpty = isEmpty
    }
}
