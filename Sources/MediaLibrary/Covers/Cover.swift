public import MediaContainers

/// A picture that stands for a film or a song.
public struct Cover: Sendable, Hashable {
    /// The media type: `image/jpeg`, `image/png`, or what the file says.
    public var mediaType: String
    /// The picture's bytes.
    public var bytes: [UInt8]

    /// The largest picture that is taken, in bytes; an ID3 tag that holds one may be as long.
    public static var largest: Int { 32 << 20 }

    /// A picture; its first bytes tell the type where they are sure.
    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = Self.type(of: bytes) ?? mediaType
    }

    /// A picture that somebody gives.
    ///
    /// - Parameter bytes: JPEG, PNG, GIF, WebP, AVIF or HEIC. What may hold a script, as SVG does, is none.
    /// - Returns: nil for anything else.
    public init?(recognising bytes: [UInt8]) {
        guard let type = Self.type(of: bytes) else { return nil }
        self.bytes = bytes
        mediaType = type
    }

    /// The picture that a file has in its metadata: `covr` of MP4, APIC of ID3 at the front of MP3 and AAC.
    ///
    /// Only the index or the tag is read, and the picture.
    ///
    /// - Parameter source: the file's bytes.
    /// - Returns: nil where there is none, or only a link to one.
    /// - Throws: `ContainerError` where the file is damaged or its bytes can't be had.
    public static func embedded(in source: some MediaContainers.ByteSource) throws(ContainerError) -> Cover? {
        let front = try source.bytes(
            0..<min(source.length, Int64(SegmentFormat.probeLength)), limit: SegmentFormat.probeLength)
        if let length = front.withUnsafeBytes({ ID3Tag.length($0) }) {
            let end = min(source.length, Int64(length))
            guard end <= Int64(largest) else {
                throw ContainerError(.limitExceeded, "an ID3 tag of \(length) bytes", at: 0)
            }
            return try picture(ofTag: try source.bytes(0..<end, limit: largest))
        }
        guard front.withUnsafeBytes({ MP4Format.isRecognised($0) }),
            let artwork = try MP4Reader(source).movie.artwork.first
        else { return nil }
        return Cover(bytes: try source.bytes(artwork.range, limit: largest), mediaType: "image/\(artwork.format)")
    }

    /// The extension of a file with this picture, without a dot.
    public var pathExtension: String {
        switch mediaType {
        case "image/png": "png"
        case "image/gif": "gif"
        case "image/webp": "webp"
        case "image/avif": "avif"
        case "image/heic": "heic"
        default: "jpg"
        }
    }

    private static func picture(ofTag bytes: [UInt8]) throws(ContainerError) -> Cover? {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ContainerError) in try ID3Tag(buffer).picture }
        }
        guard let picture = try result.get(), picture.mediaType != "-->", !picture.data.isEmpty else { return nil }
        // Version 2.2 names the format in three letters.
        let named = picture.mediaType.lowercased()
        let type = named.contains("/") ? named : named == "png" ? "image/png" : "image/jpeg"
        return Cover(bytes: picture.data, mediaType: type)
    }

    private static func type(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if bytes.starts(with: Array("GIF8".utf8)) { return "image/gif" }
        if bytes.count > 12, bytes.starts(with: Array("RIFF".utf8)), bytes[8..<12].elementsEqual("WEBP".utf8) {
            return "image/webp"
        }
        // The brand of a file of ISO/IEC 23008-12 or of AV1.
        guard bytes.count > 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        return switch String(decoding: bytes[8..<12], as: UTF8.self) {
        case "avif", "avis": "image/avif"
        case "heic", "heix", "mif1", "msf1": "image/heic"
        default: nil
        }
    }
}
