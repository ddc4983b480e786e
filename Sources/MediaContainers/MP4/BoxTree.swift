/// The boxes of a file and the boxes in them, for inspection.
public struct BoxTree: Sendable {
    /// The boxes of the file, in its order.
    public private(set) var roots: [BoxNode] = []
    /// Whether there were more boxes than the limit, or boxes nested deeper than 32; those are left out.
    public private(set) var isCutOff = false

    private var budget: Int

    /// Reads the boxes of a file.
    ///
    /// Only headers are read at the top, and whole boxes where others are in them.
    ///
    /// - Parameters:
    ///   - source: The file's bytes.
    ///   - limit: The largest number of boxes.
    /// - Throws: ``ContainerError`` at the first box that doesn't fit into what holds it.
    public init<Source: ByteSource>(_ source: Source, limit: Int = 100_000) throws(ContainerError) {
        budget = limit
        var boxes = TopLevelBoxes(source)
        while let header = try boxes.next() {
            guard header.end <= source.length, BoxSyntax(header.type, in: nil).hasFields, header.size < 1 << 28 else {
                roots.append(BoxNode(header: header))
                continue
            }
            let payload = try source.bytes(header.payload, limit: 1 << 28)
            let node = try payload.withReader(at: header.payload.lowerBound) { (reader) throws(ContainerError) in
                try self.node(header, reader, parent: nil, depth: 0)
            }
            if let node { roots.append(node) }
        }
    }

    private mutating func node(
        _ header: BoxHeader, _ payload: ByteReader, parent: FourCC?, depth: Int
    ) throws(ContainerError) -> BoxNode? {
        budget -= 1
        guard budget >= 0, depth < 32 else {
            isCutOff = true
            return nil
        }
        var node = BoxNode(header: header)
        var reader = payload
        var syntax = BoxSyntax(header.type, in: parent)
        if header.type == "meta", !MetaBox.hasVersion(payload) { syntax.isFullBox = false }
        if syntax.isFullBox, reader.remaining >= 4 {
            let full = try FullBox(&reader)
            node.version = full.version
            node.flags = full.flags
        }
        guard let skipped = syntax.bytesBeforeChildren(reader) else { return node }
        guard skipped <= reader.remaining else { return node }
        try reader.skip(skipped)
        var boxes = BoxIterator(reader)
        while let (header, box) = try boxes.next() {
            guard let child = try self.node(header, box, parent: node.header.type, depth: depth + 1) else { break }
            node.children.append(child)
        }
        return node
    }
}
