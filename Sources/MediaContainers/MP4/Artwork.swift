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

/// A parser for the pictures in iTunes-style metadata: `udta`, `meta`, `ilst`, `covr`, `data`.
enum ArtworkParser {
    /// Reads the payload of `udta`. A damaged box ends the search.
    static func parse(_ userData: ByteReader) -> [Artwork] { boxes("meta", in: userData).first.map(parse(meta:)) ?? [] }

    static func parse(meta: ByteReader) -> [Artwork] {
        var reader = meta
        if MetaBox.hasVersion(reader), (try? reader.skip(4)) == nil { return [] }
        return boxes("ilst", in: reader).flatMap { boxes("covr", in: $0) }.flatMap { boxes("data", in: $0) }
            .compactMap(picture)
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
