/// A picture in a file's metadata: `covr` in iTunes-style metadata.
public struct Artwork: Sendable, Hashable {
    /// The format of a picture, determined from its first byte; JPEG also by the metadata's type code.
    public enum Format: String, Sendable, Hashable {
        /// JPEG.
        case jpeg
        /// PNG.
        case png
        /// Any other format.
        case other
    }

    /// The picture's format.
    public var format: Format
    /// The range of the picture's bytes in the file.
    public var range: Range<Int64>
}

/// A parser for iTunes-style metadata: `udta`, `meta`, `ilst`, and in it an item with a `data` box for each value. The
/// first value of each kind applies.
struct ItemListParser {
    private(set) var artwork: [Artwork] = []
    private(set) var metadata = MediaMetadata()
    /// The range of the items of the first list in the file; nil if there is none, or if `keys` names its items.
    private(set) var items: Range<Int64>?
    /// The description in `ldes`; nil if there is none.
    private var longDescription: String?

    /// Reads the payload of `udta`. A damaged box ends the search.
    mutating func parse(userData: ByteReader) {
        guard let meta = Self.boxes("meta", in: userData).first else { return }
        parse(meta: meta)
    }

    /// Reads the payload of `meta`. A damaged box ends the search.
    mutating func parse(meta: ByteReader) {
        var reader = meta
        if MetaBox.hasVersion(reader), (try? reader.skip(4)) == nil { return }
        let hasKeys = !Self.boxes("keys", in: reader).isEmpty
        for list in Self.boxes("ilst", in: reader) {
            if !hasKeys { items = items ?? list.offset..<list.offset + Int64(list.remaining) }
            var iterator = BoxIterator(list)
            while let (header, item) = try? iterator.next() { parse(header.type, item) }
        }
    }

    /// Returns the payloads of the boxes of a type, up to the first damaged box.
    private static func boxes(_ type: FourCC, in parent: ByteReader) -> [ByteReader] {
        var found: [ByteReader] = []
        var iterator = BoxIterator(parent)
        while let (header, box) = try? iterator.next() {
            if header.type == type { found.append(box) }
        }
        return found
    }

    private mutating func parse(_ type: FourCC, _ item: ByteReader) {
        guard type != "covr" else {
            artwork += Self.boxes("data", in: item).compactMap(Self.picture)
            return
        }
        guard let value = Self.boxes("data", in: item).first.flatMap({ Value($0) }) else { return }
        switch type {
        case "©nam": metadata.title = metadata.title ?? value.text
        case "©ART": metadata.artist = metadata.artist ?? value.text
        case "aART": metadata.albumArtist = metadata.albumArtist ?? value.text
        case "©alb": metadata.album = metadata.album ?? value.text
        case "trkn":
            metadata.track = metadata.track ?? value.integer16(at: 2).flatMap { MediaMetadata.positive($0) }
            metadata.trackCount = metadata.trackCount ?? value.integer16(at: 4).flatMap { MediaMetadata.positive($0) }
        case "disk":
            metadata.disc = metadata.disc ?? value.integer16(at: 2).flatMap { MediaMetadata.positive($0) }
            metadata.discCount = metadata.discCount ?? value.integer16(at: 4).flatMap { MediaMetadata.positive($0) }
        case "©day": metadata.year = metadata.year ?? value.text.flatMap { MediaMetadata.year($0) }
        case "©gen": metadata.genre = metadata.genre ?? value.text
        // The number is that of ID3v1, counted from 1.
        case "gnre": metadata.genre = metadata.genre ?? value.integer16(at: 0).flatMap { MusicGenre.name($0 - 1) }
        case "desc", "ldes": describe(value, isLong: type == "ldes")
        case "tvsh": metadata.show = metadata.show ?? value.text
        case "tvsn": metadata.season = metadata.season ?? value.smallNumber
        case "tves": metadata.episode = metadata.episode ?? value.smallNumber
        default: break
        }
    }

    /// Stores a description. The long one takes precedence, since `desc` is often its beginning.
    private mutating func describe(_ value: Value, isLong: Bool) {
        guard let text = value.description, isLong ? longDescription == nil : metadata.description == nil else {
            return
        }
        metadata.description = text
        if isLong { longDescription = text }
    }

    /// The payload of a `data` box: the type of the value, its language, and its bytes.
    private struct Value {
        private let type: UInt32
        private let bytes: UnsafeRawBufferPointer

        init?(_ box: ByteReader) {
            var reader = box
            guard let type = try? reader.uint32(), (try? reader.skip(4)) != nil else { return nil }
            self.type = type & 0xFF_FFFF
            bytes = reader.takeRest()
        }

        /// The bytes as text: UTF-8 for type 1, UTF-16 for type 2. Type 0 means that the item determines the type; it's
        /// read as UTF-8.
        private var string: String? {
            switch type {
            case 0, 1: String(decoding: bytes.prefix(Self.maximumTextLength), as: UTF8.self)
            case 2:
                ID3Text.decode(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.maximumTextLength)), encoding: 2)
            default: nil
            }
        }

        private static let maximumTextLength = 64 << 10

        var text: String? { string.flatMap { MediaMetadata.text($0) } }

        var description: String? { string.flatMap { MediaMetadata.descriptionText($0) } }

        func integer16(at offset: Int) -> Int? {
            guard offset + 2 <= bytes.count else { return nil }
            return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
        }

        /// The bytes as an integer of 1 to 8 bytes, if it's from 0 to 9999.
        var smallNumber: Int? {
            guard (1...8).contains(bytes.count) else { return nil }
            let value = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return value <= 9999 ? Int(value) : nil
        }
    }

    private static func picture(_ value: ByteReader) -> Artwork? {
        var reader = value
        guard let type = try? reader.uint32(), (try? reader.skip(4)) != nil, reader.remaining > 8 else { return nil }
        let range = reader.offset..<reader.offset + Int64(reader.remaining)
        let first = reader.bytes[reader.position]
        // Type code 13 is JPEG. Some files have the wrong code, so the first byte takes precedence.
        let format: Artwork.Format = first == 0xFF ? .jpeg : first == 0x89 ? .png : type == 13 ? .jpeg : .other
        return Artwork(format: format, range: range)
    }
}

/// The two forms of `meta`: a full box in ISO files, a plain box in QuickTime files.
enum MetaBox {
    /// Returns whether the payload begins with version and flags rather than with a child box.
    static func hasVersion(_ payload: ByteReader) -> Bool {
        var reader = payload
        guard (try? reader.skip(4)) != nil, let type = try? reader.fourCC() else { return true }
        return type != "hdlr" && type != "keys" && type != "ilst" && type != "mhdr"
    }
}
