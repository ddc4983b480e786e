import MediaContainers

/// A box of an MP4 in JSON.
struct BoxRecord: Encodable, Sendable {
    /// Four characters; of a `uuid` box its own type.
    var type: String
    /// Where it begins in the file.
    var offset: Int64
    /// Its bytes, header included.
    var size: Int64
    /// The version, where it's a full box.
    @Nullable var version: UInt8?
    /// The flags, where it's a full box.
    @Nullable var flags: UInt32?
    /// The boxes in it.
    var boxes: [BoxRecord]

    /// The record of a box.
    init(_ node: BoxNode) {
        type = node.header.userType.map { "\($0)" } ?? "\(node.header.type)"
        offset = node.header.offset
        size = node.header.size
        version = node.version
        flags = node.flags
        boxes = node.children.map(BoxRecord.init)
    }
}
