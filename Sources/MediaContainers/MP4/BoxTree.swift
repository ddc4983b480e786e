/// The tree of boxes in a file.
public struct BoxTree: Sendable {
    /// The top-level boxes in file order.
    public private(set) var roots: [BoxNode] = []
    /// Whether boxes are missing from the tree, because their number exceeds the limit or they are nested deeper than
    /// 32 levels.
    public private(set) var isCutOff = false

    private var budget: Int

    /// Reads up to `limit` boxes of a file. Throws at the first box that exceeds its parent.
    ///
    /// Only the headers of top-level boxes are read, unless they are full boxes or have children. A top-level box of
    /// 256 MiB or more, or one that extends past the end of the file, has no children in the tree.
    public init<Source: ByteSource>(_ source: Source, limit: Int = 100_000) throws(ContainerError) {
        budget = limit
        var boxes = TopLevelBoxes(source)
        while let header = try boxes.next() {
            guard budget > 0 else {
                isCutOff = true
                break
            }
            guard header.end <= source.length, BoxSyntax(header.type, in: nil).hasFields, header.size < 1 << 28 else {
                budget -= 1
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

/// A box and its children (ISO/IEC 14496-12, 4.2).
public struct BoxNode: Sendable, Hashable {
    /// The type, offset and size of the box.
    public var header: BoxHeader
    /// The version of a full box, or nil.
    public var version: UInt8?
    /// The flags of a full box, or nil.
    public var flags: UInt32?
    /// The child boxes.
    public var children: [BoxNode] = []
}

/// The structure of a box type: whether it is a full box, and where its children begin.
struct BoxSyntax {
    var isFullBox: Bool
    private let type: FourCC
    private let parent: FourCC?

    init(_ type: FourCC, in parent: FourCC?) {
        self.type = type
        self.parent = parent
        isFullBox = Self.fullBoxes.contains(type)
    }

    /// Whether the box has a version or children.
    var hasFields: Bool { isFullBox || Self.containers.contains(type) }

    /// Returns the number of bytes between the version and flags and the first child; nil for a box without children.
    func bytesBeforeChildren(_ payload: ByteReader) -> Int? {
        if parent == "stsd" { return bytesInSampleEntry(payload) }
        if parent == "ilst" { return 0 }
        switch type {
        case "stsd", "dref": return 4
        case "iinf": return 2
        default: return Self.containers.contains(type) ? 0 : nil
        }
    }

    /// Returns the size of the fields of a sample entry (ISO/IEC 14496-12, 12.1.3 and 12.2.3; QuickTime sound versions
    /// 1 and 2).
    private func bytesInSampleEntry(_ payload: ByteReader) -> Int? {
        if MediaFormatBuilder.visualEntries.contains(type) { return 78 }
        if MediaFormatBuilder.audioEntries.contains(type) {
            var reader = payload
            guard (try? reader.skip(8)) != nil, let version = try? reader.uint16() else { return nil }
            return version == 1 ? 44 : version == 2 ? 64 : 28
        }
        if type == "wvtt" { return 8 }
        guard type == "stpp" else { return nil }
        var reader = payload
        guard (try? reader.skip(8)) != nil, (try? reader.skipStrings(3)) != nil else { return nil }
        return reader.position - payload.position
    }

    private static let containers: Set<FourCC> = [
        "moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "udta", "mvex", "moof", "traf", "mfra", "meta", "ilst",
        "sinf", "schi", "rinf", "wave", "gmhd", "tref", "iprp", "ipco", "strk", "strd", "vttc", "vtte", "ludt", "vexu",
        "eyes", "must", "proj", "cams", "cmfy", "hfov",
    ]

    private static let fullBoxes: Set<FourCC> = [
        "mvhd", "tkhd", "mdhd", "hdlr", "vmhd", "smhd", "hmhd", "sthd", "nmhd", "dref", "url ", "urn ", "stsd", "stts",
        "ctts", "cslg", "stsc", "stsz", "stz2", "stco", "co64", "stss", "stps", "sdtp", "sbgp", "sgpd", "subs", "saiz",
        "saio", "elst", "mehd", "trex", "leva", "mfhd", "tfhd", "tfdt", "trun", "tfra", "mfro", "sidx", "ssix", "prft",
        "emsg", "pssh", "tenc", "senc", "schm", "esds", "meta", "elng", "kind", "cprt", "vpcC", "dfLa",
        "trep", "assp", "iinf", "iloc", "pitm", "srat", "tsel", "xml ", "bxml",
    ]
}
