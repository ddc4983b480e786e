/// A box with the boxes in it, for inspection (ISO/IEC 14496-12, 4.2).
public struct BoxNode: Sendable, Hashable {
    /// The box's type and place.
    public var header: BoxHeader
    /// The version of a full box, or nil for other boxes.
    public var version: UInt8?
    /// The flags of a full box, or nil for other boxes.
    public var flags: UInt32?
    /// The boxes in it.
    public var children: [BoxNode]

    /// Creates a node.
    public init(header: BoxHeader, version: UInt8? = nil, flags: UInt32? = nil, children: [BoxNode] = []) {
        self.header = header
        self.version = version
        self.flags = flags
        self.children = children
    }
}
