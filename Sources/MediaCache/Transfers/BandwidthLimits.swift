/// How many bytes a second transfers may take.
public struct BandwidthLimits: Sendable, Hashable {
    /// All of them, in bytes a second; nil for no limit. What is more urgent takes of it first: what plays is held back
    /// only by what plays.
    public var total: Int64?
    /// Those of a class, in bytes a second; no limit for one that isn't here.
    public var classes: [TransferClass: Int64]

    /// Creates limits.
    public init(total: Int64? = nil, classes: [TransferClass: Int64] = [:]) {
        self.total = total
        self.classes = classes
    }

    var isEmpty: Bool { total == nil && classes.isEmpty }
}
