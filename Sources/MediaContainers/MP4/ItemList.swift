/// The items of iTunes-style metadata (`ilst`), such as title, artist and artwork, for copying into another file.
public struct ItemList: Sendable, Hashable {
    /// The bytes of whole items.
    let bytes: [UInt8]

    /// The maximum size of the items of a file in bytes.
    private static let maximumLength = 32 << 20
    /// The name of the item with the encoder's delay and padding, which differ in another file.
    private static let gaplessInformation = Array("iTunSMPB".utf8)

    /// Creates a list without items.
    public init() { bytes = [] }

    /// Reads the items of a file up to the first damaged one. Returns an empty list if there are more than 32 MiB of
    /// them. Throws the errors of the source.
    init(_ range: Range<Int64>, of source: some ByteSource) throws(ContainerError) {
        guard range.count <= Self.maximumLength else {
            bytes = []
            return
        }
        let all = try source.bytes(range, limit: Self.maximumLength)
        bytes = try all.withBorrowedBytes { (buffer) throws(ContainerError) -> [UInt8] in
            var kept: [UInt8] = []
            kept.reserveCapacity(buffer.count)
            var reader = ByteReader(buffer)
            while let header = try? BoxHeader(&reader, limit: Int64(buffer.count)), header.end <= Int64(buffer.count),
                !header.isOpenEnded, (try? reader.seek(to: Int(header.end))) != nil
            {
                let item = UnsafeRawBufferPointer(rebasing: buffer[Int(header.offset)..<Int(header.end)])
                if header.type != "----" || !item.contains(Self.gaplessInformation) { kept += item }
            }
            return kept
        }
    }

    /// Whether the list has no items.
    public var isEmpty: Bool { bytes.isEmpty }

    /// Appends `udta` with the items, unless there are none.
    func write(to bytes: inout [UInt8]) {
        guard !isEmpty else { return }
        bytes.appendBox("udta") { bytes in
            bytes.appendFullBox("meta") { bytes in
                bytes.appendFullBox("hdlr") { bytes in
                    bytes.appendZeros(4)
                    bytes.append("mdir" as FourCC)
                    bytes.append("appl" as FourCC)
                    bytes.appendZeros(9)
                }
                bytes.appendBox("ilst") { $0 += self.bytes }
            }
        }
    }
}

extension MP4Reader {
    /// Returns the items of the file's metadata; empty if there are none, if there are more than 32 MiB of them, or if
    /// ``movie`` is from an initialization section. Throws the errors of the source.
    public func itemList() throws(ContainerError) -> ItemList {
        guard let range = movie.items, fragmentsBegin > 0 else { return ItemList() }
        return try ItemList(range, of: source)
    }
}
