public import MediaContainers

/// An image that represents a film or song.
public struct Cover: Sendable, Hashable {
    /// The media type, detected from the first bytes of the image; for other formats, the declared type.
    public var mediaType: String
    /// The image file.
    public var bytes: [UInt8]

    /// The maximum size in bytes of an image, and of an ID3 tag that contains one.
    public static var largest: Int { 32 << 20 }

    /// Creates a cover. A media type detected from the first bytes takes precedence over `mediaType`.
    public init(bytes: [UInt8], mediaType: String) {
        self.bytes = bytes
        self.mediaType = Self.type(of: bytes) ?? mediaType
    }

    /// Creates a cover from an untrusted JPEG, PNG, GIF, WebP, AVIF or HEIC file; nil for other formats. Formats with
    /// scripts, such as SVG, aren't accepted.
    public init?(recognizing bytes: [UInt8]) {
        guard let type = Self.type(of: bytes) else { return nil }
        self.bytes = bytes
        mediaType = type
    }

    /// Returns the image in a file's metadata: `covr` of an MP4, or APIC of an ID3 tag at the beginning of an MP3 or
    /// AAC file. Reads only the index or tag, and the image.
    ///
    /// - Returns: Nil if the file has no image, or only a link to one.
    /// - Throws: `ContainerError` if the file is damaged or can't be read, or with `limitExceeded` if the tag or the
    ///   image is larger than ``largest``.
    public static func embedded(in source: some ByteSource) throws(ContainerError) -> Cover? {
        let front = try source.bytes(
            0..<min(source.length, Int64(SegmentFormat.probeLength)), limit: SegmentFormat.probeLength)
        if let length = front.withUnsafeBytes({ ID3Tag.length($0) }) {
            let end = min(source.length, Int64(length))
            guard end <= Int64(largest) else {
                throw ContainerError(
                    .limitExceeded, "the ID3 tag has \(length) bytes, more than the maximum of \(largest)", at: 0)
            }
            return try picture(ofTag: try source.bytes(0..<end, limit: largest))
        }
        guard front.withUnsafeBytes({ MP4Format.isRecognized($0) }),
            let artwork = try MP4Reader(source).movie.artwork.first
        else { return nil }
        return Cover(bytes: try source.bytes(artwork.range, limit: largest), mediaType: "image/\(artwork.format)")
    }

    /// The filename extension for the image, without a dot; `jpg` for unknown media types.
    public var pathExtension: String {
        ["png", "gif", "webp", "avif", "heic"].first { mediaType == "image/\($0)" } ?? "jpg"
    }

    private static func picture(ofTag bytes: [UInt8]) throws(ContainerError) -> Cover? {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(ContainerError) in try ID3Tag(buffer).picture }
        }
        guard let picture = try result.get(), picture.mediaType != "-->", !picture.data.isEmpty else { return nil }
        // ID3v2.2 identifies the format by three letters.
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
        // The brand of a HEIF file (ISO/IEC 23008-12) or an AVIF file.
        guard bytes.count > 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        return switch String(decoding: bytes[8..<12], as: UTF8.self) {
        case "avif", "avis": "image/avif"
        case "heic", "heix", "mif1", "msf1": "image/heic"
        default: nil
        }
    }
}

/// The number and size of stored covers.
public struct CoverUsage: Sendable, Hashable, Codable {
    /// The number of covers.
    public var covers: Int
    /// Their size in bytes.
    public var bytes: Int64

    /// Creates a summary of stored covers.
    public init(covers: Int, bytes: Int64) {
        self.covers = covers
        self.bytes = bytes
    }
}
