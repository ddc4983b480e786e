/// An ID3v2 tag with the frames that media containers and HLS use (ID3 2.2 to 2.4; RFC 8216, 3.4).
public struct ID3Tag: Sendable, Hashable {
    /// The length of the tag in bytes, including header, padding and footer.
    public var length: Int
    /// The frames in order, up to the first that can't be read, and at most 10,000.
    public var frames: [ID3Frame]

    /// The number of bytes needed to read the length of a tag.
    public static let headerLength = 10

    private static let maximumFrames = 10_000

    /// Returns the length in bytes of the tag at the beginning of `bytes`, or nil if there is none.
    public static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerLength, begins(bytes, at: 0), bytes[3] != 0xFF, bytes[4] != 0xFF,
            let size = synchsafe(bytes, at: 6)
        else { return nil }
        return headerLength + size + (bytes[5] & 0x10 != 0 ? headerLength : 0)
    }

    /// Returns whether the identifier of a tag is at an index.
    static func begins(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        offset + 3 <= bytes.count && bytes[offset] == 0x49 && bytes[offset + 1] == 0x44 && bytes[offset + 2] == 0x33
    }

    /// Reads the tag at the beginning of the bytes, or its complete frames if it's truncated. Throws `notThisFormat` if
    /// there is no tag.
    public init(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard let length = Self.length(bytes) else { throw ContainerError(.notThisFormat, "no ID3v2 tag", at: 0) }
        self.length = length
        let version = bytes[3]
        let flags = bytes[5]
        let end = min(bytes.count, length)
        let content = UnsafeRawBufferPointer(rebasing: bytes[Self.headerLength..<end])
        if flags & 0x80 != 0, version < 4 {
            frames = Self.resynchronised(content).withUnsafeBytes { Self.frames($0, version: version, flags: flags) }
        } else {
            frames = Self.frames(content, version: version, flags: flags)
        }
    }

    /// The 33-bit timestamp of the first sample of a packed audio segment in 90 kHz ticks (RFC 8216, 3.4), or nil.
    public var transportStreamTimestamp: Int64? {
        let owner = "com.apple.streaming.transportStreamTimestamp"
        for frame in frames {
            guard case .priv(owner, let data) = frame, data.count >= 8 else { continue }
            let value = data.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Int64(value & 0x1_FFFF_FFFF)
        }
        return nil
    }

    /// The first picture that's marked as the front cover, otherwise the first picture of any type.
    public var picture: ID3Picture? {
        let pictures = frames.compactMap { frame -> ID3Picture? in
            if case .picture(let picture) = frame { picture } else { nil }
        }
        return pictures.first { $0.type == 3 } ?? pictures.first
    }

    /// The title, artist and other metadata in the text frames. If a frame occurs several times, the first one applies.
    public var metadata: MediaMetadata {
        var texts: [String: [String]] = [:]
        for case .text(let id, let values) in frames where texts[id] == nil { texts[id] = values }
        // The names of version 2.2 have three letters.
        func values(_ ids: String...) -> [String] { ids.lazy.compactMap { texts[$0] }.first { !$0.isEmpty } ?? [] }
        var metadata = MediaMetadata()
        metadata.title = MediaMetadata.list(values("TIT2", "TT2"))
        metadata.artist = MediaMetadata.list(values("TPE1", "TP1"))
        metadata.albumArtist = MediaMetadata.list(values("TPE2", "TP2"))
        metadata.album = MediaMetadata.list(values("TALB", "TAL"))
        (metadata.track, metadata.trackCount) = MediaMetadata.position(values("TRCK", "TRK").first ?? "")
        (metadata.disc, metadata.discCount) = MediaMetadata.position(values("TPOS", "TPA").first ?? "")
        // TDRC replaces TYER in version 2.4; TDRL is the time of the release.
        metadata.year =
            ["TDRC", "TYER", "TYE", "TDRL"].lazy.compactMap { texts[$0]?.first }
            .compactMap { MediaMetadata.year($0) }.first
        metadata.genre = MediaMetadata.list(MusicGenre.names(in: values("TCON", "TCO")))
        // The description of a podcast's episode. No specification defines it.
        metadata.description = values("TDES", "TDS").first.flatMap { MediaMetadata.descriptionText($0) }
        return metadata
    }

    static func synchsafe(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard offset + 4 <= bytes.count else { return nil }
        var value = 0
        for index in offset..<offset + 4 {
            guard bytes[index] < 0x80 else { return nil }
            value = value << 7 | Int(bytes[index])
        }
        return value
    }

    /// Reverses unsynchronisation by replacing each FF 00 with FF (ID3 2.4, 6.1).
    static func resynchronised(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var last: UInt8 = 0
        for byte in bytes {
            if last != 0xFF || byte != 0 { result.append(byte) }
            last = byte
        }
        return result
    }

    private static func frames(_ content: UnsafeRawBufferPointer, version: UInt8, flags: UInt8) -> [ID3Frame] {
        var reader = ByteReader(content)
        if version > 2, flags & 0x40 != 0 {
            // The size of the extended header includes itself in 2.4 but not in 2.3.
            let size = version == 4 ? synchsafe(content, at: 0) : (try? reader.uint32()).map { Int($0) }
            guard let size, (try? reader.skip(size)) != nil else { return [] }
        }
        var frames: [ID3Frame] = []
        while frames.count < maximumFrames, reader.remaining > 6, content[reader.position] != 0,
            let frame = ID3Frame(&reader, version: version)
        {
            frames.append(frame)
        }
        return frames
    }
}

/// A frame of an ID3 tag.
public enum ID3Frame: Sendable, Hashable {
    /// A PRIV frame with its owner and data.
    case priv(owner: String, data: [UInt8])
    /// An APIC or PIC frame.
    case picture(ID3Picture)
    /// A text frame with its identifier, and those of its first 64 values that aren't empty. Only version 2.4 permits
    /// several.
    case text(id: String, values: [String])
    /// Any other frame with its raw content.
    case other(id: String, data: [UInt8])

    private static let maximumValues = 64

    init?(_ reader: inout ByteReader, version: UInt8) {
        let idLength = version == 2 ? 3 : 4
        guard let idBytes = try? reader.take(idLength), idBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        let id = String(decoding: idBytes, as: UTF8.self)
        let size: Int
        var flags: UInt16 = 0
        if version == 2 {
            guard let short = try? reader.uint24() else { return nil }
            size = Int(short)
        } else {
            let offset = reader.position
            guard let plain = try? reader.uint32(), let bits = try? reader.uint16() else { return nil }
            flags = bits
            let safe = version >= 4 ? ID3Tag.synchsafe(reader.bytes, at: offset) : nil
            // Some writers of 2.4 use a plain integer instead of seven bits per byte.
            if let safe, Self.canEnd(reader, after: safe) || !Self.canEnd(reader, after: Int(plain)) {
                size = safe
            } else {
                size = Int(plain)
            }
        }
        guard let raw = try? reader.take(size) else { return nil }
        if version >= 4, flags & 2 != 0 {
            let whole = ID3Tag.resynchronised(raw)
            self = whole.withUnsafeBytes { ID3Frame(id: id, $0, version: version, flags: flags) }
        } else {
            self.init(id: id, raw, version: version, flags: flags)
        }
    }

    /// Returns whether the tag's end, padding or the identifier of another frame follows the next `size` bytes.
    private static func canEnd(_ reader: ByteReader, after size: Int) -> Bool {
        guard size <= reader.remaining else { return false }
        let rest = reader.bytes[(reader.position + size)...]
        guard let first = rest.first, first != 0 else { return rest.allSatisfy { $0 == 0 } }
        return rest.count > 4
            && rest.prefix(4).allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    private init(id: String, _ content: UnsafeRawBufferPointer, version: UInt8, flags: UInt16) {
        // The frame is compressed or encrypted.
        guard flags & (version >= 4 ? 0x0C : 0xC0) == 0 else {
            self = .other(id: id, data: Array(content))
            return
        }
        // The group identifier, and the data length indicator of 2.4, precede the content.
        let hasGroup = flags & (version >= 4 ? 0x40 : 0x20) != 0
        let hasLength = version >= 4 && flags & 1 != 0
        let prefix = (hasGroup ? 1 : 0) + (hasLength ? 4 : 0)
        let content = UnsafeRawBufferPointer(rebasing: content.dropFirst(prefix))
        var reader = ByteReader(content)
        switch id {
        case "PRIV":
            let owner = ID3Text.decode(ID3Text.terminated(&reader, encoding: 0), encoding: 0)
            self = .priv(owner: owner, data: Array(reader.takeRest()))
        case "APIC", "PIC":
            if let picture = ID3Picture(content, version: version) {
                self = .picture(picture)
            } else {
                self = .other(id: id, data: Array(content))
            }
        case _ where id.hasPrefix("T") && id != "TXXX" && id != "TXX":
            var values: [String] = []
            if let encoding = try? reader.uint8() {
                for _ in 0..<Self.maximumValues where !reader.isAtEnd {
                    let text = ID3Text.terminated(&reader, encoding: encoding)
                    if !text.isEmpty { values.append(ID3Text.decode(text, encoding: encoding)) }
                }
            }
            self = .text(id: id, values: values)
        default:
            self = .other(id: id, data: Array(content))
        }
    }
}

/// A picture in an ID3 tag: APIC, or PIC in version 2.2.
public struct ID3Picture: Sendable, Hashable {
    /// The media type (`image/jpeg`), or in version 2.2 the format (`JPG`). The value `-->` means that the data is a
    /// URL.
    public var mediaType: String
    /// The picture type, 0 to 20; 3 is the front cover.
    public var type: UInt8
    /// The description of the picture.
    public var description: String
    /// The picture's bytes.
    public var data: [UInt8]

    /// Creates a picture.
    public init(mediaType: String, type: UInt8, description: String, data: [UInt8]) {
        self.mediaType = mediaType
        self.type = type
        self.description = description
        self.data = data
    }

    init?(_ content: UnsafeRawBufferPointer, version: UInt8) {
        var reader = ByteReader(content)
        guard let encoding = try? reader.uint8() else { return nil }
        if version == 2 {
            guard let format = try? reader.take(3) else { return nil }
            mediaType = ID3Text.decode(format, encoding: 0)
        } else {
            mediaType = ID3Text.decode(ID3Text.terminated(&reader, encoding: 0), encoding: 0)
        }
        guard let type = try? reader.uint8() else { return nil }
        self.type = type
        description = ID3Text.decode(ID3Text.terminated(&reader, encoding: encoding), encoding: encoding)
        data = Array(reader.takeRest())
    }
}

/// Text decoding for ID3 frames (ID3 2.4, 4: encodings 0 Latin-1, 1 UTF-16 with BOM, 2 UTF-16BE, 3 UTF-8).
enum ID3Text {
    /// Reads the bytes up to the terminator of an encoding, or all if there is none, and skips the terminator.
    static func terminated(_ reader: inout ByteReader, encoding: UInt8) -> UnsafeRawBufferPointer {
        let rest = UnsafeRawBufferPointer(rebasing: reader.bytes[reader.position...])
        let width = encoding == 1 || encoding == 2 ? 2 : 1
        var offset = 0
        while offset + width <= rest.count {
            if rest[offset] == 0, width == 1 || rest[offset + 1] == 0 {
                let text = try? reader.take(offset)
                try? reader.skip(width)
                return text ?? UnsafeRawBufferPointer(start: nil, count: 0)
            }
            offset += width
        }
        return reader.takeRest()
    }

    static func decode(_ bytes: UnsafeRawBufferPointer, encoding: UInt8) -> String {
        switch encoding {
        case 1, 2: return utf16(bytes, hasMark: encoding == 1)
        case 3: return String(decoding: bytes, as: UTF8.self)
        default:
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
    }

    private static func utf16(_ bytes: UnsafeRawBufferPointer, hasMark: Bool) -> String {
        var isLittle = false
        var start = 0
        if hasMark, bytes.count >= 2 {
            isLittle = bytes[0] == 0xFF && bytes[1] == 0xFE
            if isLittle || (bytes[0] == 0xFE && bytes[1] == 0xFF) { start = 2 }
        }
        let units = stride(from: start, to: bytes.count - 1, by: 2).map { offset -> UInt16 in
            let (first, second) = (UInt16(bytes[offset]), UInt16(bytes[offset + 1]))
            return isLittle ? second << 8 | first : first << 8 | second
        }
        return String(decoding: units, as: UTF16.self)
    }
}

/// A parser that returns each PES packet of timed ID3 metadata as one sample.
final class ID3TagParser: WholePacketParser {
    /// The length of a Metadata_AU_cell header (ISO/IEC 13818-1, 2.12.4), which some encoders put before the tag.
    private static let cellHeaderLength = 5

    override init() {
        super.init()
        setFormat(MediaFormat(codec: .id3, codecString: "id3", sampleEntry: "ID3 "))
    }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        let hasCell = !ID3Tag.begins(bytes, at: 0) && ID3Tag.begins(bytes, at: Self.cellHeaderLength)
        prefixLength = hasCell ? Self.cellHeaderLength : 0
        return super.scan(bytes, isLast: isLast)
    }
}
