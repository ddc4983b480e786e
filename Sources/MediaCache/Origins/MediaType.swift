/// Functions that determine media types. Conclusive first bytes take precedence over the declared type.
package enum MediaType {
    /// The number of bytes needed to recognize any supported type.
    package static let sniffLength = 1024
    /// The number of bytes from the middle of compressed media that suffices to distinguish it from text.
    package static let middleLength = 256

    /// The maximum length of byte order marks and whitespace before a playlist, in bytes.
    package static let maximumFrontLength = 64 << 10

    /// Returns the type of a body that begins with `bytes`; nil if it's uncertain.
    package static func sniff(_ bytes: UnsafeRawBufferPointer) -> String? {
        func has(_ signature: [UInt8]) -> Bool { bytes.starts(with: signature) }
        func has(_ text: String, at offset: Int = 0) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }
        if has([0xFF, 0xFE]) || has([0xFE, 0xFF]), let type = sniffUTF16(bytes) { return type }
        if has("ftyp", at: 4) { return isoBrand(bytes) }
        if has("moov", at: 4) || has("mdat", at: 4) || has("moof", at: 4) || has("styp", at: 4) || has("sidx", at: 4) {
            return "video/mp4"
        }
        if has([0x1A, 0x45, 0xDF, 0xA3]) {
            let isWebM = String(decoding: bytes.prefix(64), as: UTF8.self).contains("webm")
            return isWebM ? "video/webm" : "video/x-matroska"
        }
        if has("OggS") { return "application/ogg" }
        if has("fLaC") { return "audio/flac" }
        if has("RIFF"), has("WAVE", at: 8) { return "audio/wav" }
        if has("RIFF"), has("AVI ", at: 8) { return "video/x-msvideo" }
        if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
        if has("FORM"), has("AIFF", at: 8) { return "audio/aiff" }
        if has("FLV\u{1}") { return "video/x-flv" }
        if isTransportStream(bytes) { return "video/mp2t" }
        if has("ID3") { return nil }  // precedes MP3, AAC and other formats
        if isMPEGAudio(bytes) { return "audio/mpeg" }
        if isADTS(bytes) { return "audio/aac" }
        if has([0x0B, 0x77]) { return "audio/ac3" }
        if has([0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
        if has("GIF8") { return "image/gif" }
        return sniffText(bytes)
    }

    /// Returns whether a body that begins with `bytes` may be a playlist, because they end before or within `#EXTM3U`.
    package static func mayBecomePlaylist(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = playlistStart(bytes)
        // The last UTF-8 sequence may be incomplete.
        return start.isEmpty || start == ["\u{FFFD}"]
            || (start.count < playlistSignature.count && playlistSignature.starts(with: start))
    }

    /// Returns the media type for players.
    ///
    /// - Parameters:
    ///   - sniffed: The result of ``sniff(_:)``; nil if uncertain or unknown.
    ///   - declared: The origin's `Content-Type`.
    ///   - pathExtension: The extension of the URL's path, in lower case.
    package static func resolve(sniffed: String?, declared: String?, pathExtension: String) -> String {
        if let sniffed {
            // The signature of the container doesn't show whether it has video.
            if let declared = essence(declared), declared.hasPrefix("audio/"), sniffed.hasPrefix("video/"),
                sniffed == "video/mp4" || sniffed == "video/webm"
            {
                return declared
            }
            if sniffed == "video/mp4", pathExtension == "m4a" { return "audio/mp4" }
            return sniffed
        }
        if let declared, let essence = essence(declared), !generic.contains(essence) { return declared }
        return byExtension[pathExtension] ?? essence(declared) ?? "application/octet-stream"
    }

    /// The first bytes of a resource, and their source.
    package enum Front: Sendable {
        /// The first bytes haven't been read.
        case unknown
        /// The first bytes of the response's body.
        case body([UInt8])
        /// First bytes from another response, to which this response's `Content-Type` doesn't apply.
        case another([UInt8])

        /// The first bytes; empty if they haven't been read.
        fileprivate var bytes: [UInt8] {
            switch self {
            case .unknown: []
            case .body(let bytes), .another(let bytes): bytes
            }
        }
    }

    /// Returns the media type of a response, and throws an error if the content isn't of the expected kind.
    ///
    /// - Parameters:
    ///   - declared: The `Content-Type` of the response.
    ///   - length: The length of the resource in bytes; nil if unknown.
    /// - Throws: ``CacheError`` with ``CacheError/Code/notMedia`` for a page, for a playlist or manifest instead of a
    ///   key, and for a manifest or non-HLS playlist whose declared type or extension is generic or one of audio or
    ///   video.
    package static func checked(
        _ front: Front, declared: String?, of url: ResourceURL, as kind: ResourceKind, length: Int64?
    ) throws(CacheError) -> String {
        var (declared, pathExtension) = (declared, url.pathExtension)
        var sniffed = front.bytes.withUnsafeBytes(sniff)
        // A playlist may have the length of a key, but a player that requests its URL would follow its references.
        if kind == .key, isReferenceList(sniffed) {
            throw CacheError(.notMedia, "\(url) is a playlist or manifest instead of a key")
        }
        if case .body(let bytes) = front {
            let isKey = isKey(kind, length: length)
            if isKey { sniffed = nil }
            let isText = isText(declared, where: pathExtension)
            if isKey || (sniffed == nil && isText && bytes.withUnsafeBytes(isBinary)) {
                // The declared type is wrong, as is an extension with the same meaning. A key's extension is
                // meaningless.
                declared = nil
                if isKey || Self.isText(byExtension[pathExtension], where: "") { pathExtension = "" }
            }
        }
        if isManifest(sniffed) {
            let expected = resolve(sniffed: nil, declared: declared, pathExtension: pathExtension)
            guard !isAudioOrVideo(expected), !generic.contains(expected) else {
                throw CacheError(
                    .notMedia,
                    "\(url) is a manifest or playlist (\(sniffed ?? "")) instead of media; it isn't supported")
            }
        }
        let type = resolve(sniffed: sniffed, declared: declared, pathExtension: pathExtension)
        if isDocument(essence(type) ?? "", where: pathExtension) {
            throw CacheError(document: "\(url)", type: type)
        }
        return type
    }

    /// Returns the type without parameters, in lower case; nil unless it's a single media type.
    package static func essence(_ type: String?) -> String? {
        guard let type else { return nil }
        return isEssence(type) ? type : parse(type)?.essence
    }

    /// Returns whether a type is in lower case and has no parameters. Most types are like this and needn't be parsed.
    private static func isEssence(_ type: String) -> Bool {
        let names = type.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.count == 2
            && names.allSatisfy { !$0.isEmpty && $0.allSatisfy { isTokenByte($0) && !(0x41...0x5A).contains($0) } }
    }

    /// Returns whether a type indicates a page or an error report rather than media.
    ///
    /// - Parameter pathExtension: The extension of the URL's path, in lower case. JSON and XML count as documents only
    ///   if the extension is one of audio or video.
    package static func isDocument(_ type: String, where pathExtension: String = "") -> Bool {
        if type == "text/html" || type == "application/xhtml+xml" { return true }
        guard let expected = byExtension[pathExtension], expected.hasPrefix("video/") || expected.hasPrefix("audio/")
        else { return false }
        return type.hasSuffix("/json") || type.hasSuffix("+json") || type == "application/xml" || type == "text/xml"
    }

    /// Returns whether a type indicates an HLS playlist (RFC 8216bis §4).
    package static func isPlaylist(_ type: String?) -> Bool { essence(type)?.hasSuffix("mpegurl") ?? false }

    /// Returns whether a type indicates a manifest or a non-HLS playlist. Players follow the references in these.
    package static func isManifest(_ type: String?) -> Bool {
        guard let essence = essence(type) else { return false }
        return manifests.contains { $0.type == essence }
    }

    static func isReferenceList(_ type: String?) -> Bool { isPlaylist(type) || isManifest(type) }

    /// The lower-case signatures of manifests and non-HLS playlists. A prolog may precede XML elements.
    private static let manifests: [(start: String, type: String)] = [
        ("<mpd", "application/dash+xml"), ("<smoothstreamingmedia", "application/vnd.ms-sstr+xml"),
        ("<asx", "application/x-asx"), ("[reference]", "application/x-asx"), ("[playlist]", "application/x-pls"),
        ("ffconcat", "application/x-ffconcat"), ("rtsptext", "application/x-rtsp-text"),
    ]

    /// Returns whether the extension of a URL's path, in lower case, indicates a playlist (RFC 8216bis §4).
    package static func isPlaylist(pathExtension: String) -> Bool { pathExtension == "m3u8" || pathExtension == "m3u" }

    /// Returns whether a type indicates text: a page or a playlist.
    static func isText(_ type: String?, where pathExtension: String) -> Bool {
        guard let type = essence(type) else { return false }
        return isDocument(type, where: pathExtension) || isPlaylist(type)
    }

    /// Returns whether a resource is an AES key according to its kind and length. The bytes of a key can resemble text.
    /// No page is that short, but a playlist may be.
    static func isKey(_ kind: ResourceKind, length: Int64?) -> Bool {
        kind == .key && (length == 16 || length == 32)
    }

    /// Returns whether a type indicates audio or video. Resources of these types can't be empty.
    package static func isAudioOrVideo(_ type: String) -> Bool {
        let essence = essence(type) ?? ""
        return essence.hasPrefix("video/") || essence.hasPrefix("audio/") || essence == "application/ogg"
    }

    /// Returns whether bytes from the middle of a body can't be text. Skips an incomplete UTF-8 sequence.
    package static func isBinaryInMiddle(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let cut = bytes.prefix(3).prefix { (0x80...0xBF).contains($0) }.count
        return isBinary(UnsafeRawBufferPointer(rebasing: bytes[cut...]))
    }

    /// Returns whether a body that begins with `bytes` can't be text, regardless of its declared type. An example is a
    /// key of 16 bytes sent as `text/html`.
    package static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let start = bytes.prefix(sniffLength)
        // In UTF-16, every other byte of a page is zero.
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) { return false }
        let hasControls = start.contains { $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1B }
        if hasControls { return true }
        // A page in another encoding has ASCII tags. The last UTF-8 sequence may be incomplete.
        guard !start.contains(UInt8(ascii: "<")) else { return false }
        return (0...min(3, start.count)).allSatisfy { String(validating: start.dropLast($0), as: UTF8.self) == nil }
    }

    /// Returns the file name extension for a type: that of the URL if it has this type, otherwise the shortest one of
    /// the type; nil for an unknown type.
    package static func knownExtension(for type: String, pathExtension: String) -> String? {
        let essence = essence(type) ?? ""
        if byExtension[pathExtension] == essence { return pathExtension }
        return byExtension.filter { $0.value == essence }.keys.min { ($0.count, $0) < ($1.count, $1) }
    }

    private static let generic: Set<String> = [
        "application/octet-stream", "binary/octet-stream", "application/x-binary", "text/plain", "application/unknown",
    ]

    static let byExtension = [
        "mp4": "video/mp4", "m4v": "video/mp4", "mov": "video/quicktime", "m4a": "audio/mp4",
        "m4s": "video/iso.segment", "mp3": "audio/mpeg", "aac": "audio/aac", "ac3": "audio/ac3", "ec3": "audio/eac3",
        "flac": "audio/flac", "wav": "audio/wav", "aiff": "audio/aiff", "ogg": "application/ogg", "opus": "audio/ogg",
        "oga": "audio/ogg", "ogv": "video/ogg", "webm": "video/webm", "mkv": "video/x-matroska",
        "avi": "video/x-msvideo", "ts": "video/mp2t", "flv": "video/x-flv", "3gp": "video/3gpp",
        "m3u8": "application/vnd.apple.mpegurl", "mpd": "application/dash+xml", "vtt": "text/vtt",
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "json": "application/json", "html": "text/html", "key": "application/octet-stream",
    ]

    private static func isoBrand(_ bytes: UnsafeRawBufferPointer) -> String {
        guard bytes.count >= 12 else { return "video/mp4" }
        switch String(decoding: bytes[8..<12], as: UTF8.self) {
        case "qt  ": return "video/quicktime"
        case "M4A ", "M4B ": return "audio/mp4"
        case "3gp4", "3gp5", "3gp6", "3gg6": return "video/3gpp"
        case "avif": return "image/avif"
        case "heic", "mif1": return "image/heic"
        default: return "video/mp4"
        }
    }

    /// Returns whether the first three packets (or two, if there are only two) start with a sync byte. Packets have 188
    /// bytes, or 192 with a preceding timestamp (ISO 13818-1 §2.4.3.2).
    private static func isTransportStream(_ bytes: UnsafeRawBufferPointer) -> Bool {
        [(0, 188), (4, 192)].contains { start, size in
            bytes.count > start + size
                && stride(from: start, to: min(bytes.count, start + 3 * size), by: size).allSatisfy {
                    bytes[$0] == 0x47
                }
        }
    }

    private static func isMPEGAudio(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
        let version = bytes[1] >> 3 & 3
        let layer = bytes[1] >> 1 & 3
        return version != 1 && layer != 0 && bytes[2] >> 4 != 15 && bytes[2] >> 4 != 0 && bytes[2] >> 2 & 3 != 3
    }

    private static func isADTS(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 7 && bytes[0] == 0xFF && bytes[1] & 0xF6 == 0xF0 && bytes[2] >> 2 & 15 < 13
    }

    /// Returns the type of text with a UTF-16 byte order mark. Checked before MPEG audio, whose frames begin similarly.
    private static func sniffUTF16(_ bytes: UnsafeRawBufferPointer) -> String? {
        if playlistStart(bytes) == playlistSignature { return "application/vnd.apple.mpegurl" }
        return sniffText(String(decoding: Array(units(ofUTF16: bytes).prefix(512)), as: UTF16.self)[...])
    }

    private static func sniffText(_ bytes: UnsafeRawBufferPointer) -> String? {
        if playlistStart(bytes) == playlistSignature { return "application/vnd.apple.mpegurl" }
        // Leading whitespace may be longer than the inspected part.
        let isBlank: (UInt8) -> Bool = { (0x09...0x0D).contains($0) || $0 == 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        return sniffText(String(decoding: bytes.drop(while: isBlank).prefix(512), as: UTF8.self)[...])
    }

    /// Returns the code units after the byte order mark.
    private static func units(ofUTF16 bytes: UnsafeRawBufferPointer) -> some Sequence<UInt16> {
        let isBigEndian = bytes[0] == 0xFE
        return stride(from: 2, to: bytes.count - 1, by: 2).lazy.map { index in
            UInt16(bytes[index + (isBigEndian ? 0 : 1)]) << 8 | UInt16(bytes[index + (isBigEndian ? 1 : 0)])
        }
    }

    private static let playlistSignature = Array("#EXTM3U".unicodeScalars)

    /// Returns the first scalars after byte order marks and whitespace, up to the length of a playlist's signature.
    /// Players compare bytes, so a combining mark after the signature has no effect.
    private static func playlistStart(_ bytes: UnsafeRawBufferPointer) -> [Unicode.Scalar] {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return start(of: units(ofUTF16: bytes), UTF16.self)
        }
        return start(of: bytes, UTF8.self)
    }

    private static func start<Codec: UnicodeCodec>(
        of units: some Sequence<Codec.CodeUnit>, _: Codec.Type
    ) -> [Unicode.Scalar] {
        var (codec, units) = (Codec(), units.makeIterator())
        var start: [Unicode.Scalar] = []
        while start.count < playlistSignature.count {
            let scalar: Unicode.Scalar
            switch codec.decode(&units) {
            case .scalarValue(let value): scalar = value
            case .error: scalar = "\u{FFFD}"
            case .emptyInput: return start
            }
            if start.isEmpty, scalar == "\u{FEFF}" || scalar.properties.isWhitespace { continue }
            start.append(scalar)
        }
        return start
    }

    private static func sniffText(_ text: Substring) -> String? {
        var text = text
        if text.first == "\u{FEFF}" { text.removeFirst() }
        text = text.drop { $0.isWhitespace }
        if text.utf8.starts(with: "WEBVTT".utf8) { return "text/vtt" }
        let whole = text.lowercased()
        let lower = whole.prefix(256)
        let pages = ["<!doctype html", "<html", "<head", "<body", "<script", "<title"]
        if pages.contains(where: lower.hasPrefix) { return "text/html" }
        if lower.hasPrefix("<?xml"), lower.contains("<html") { return "application/xhtml+xml" }
        if lower.hasPrefix("<!--"), lower.contains("<html") || lower.contains("<!doctype html") { return "text/html" }
        let hasProlog = whole.hasPrefix("<?xml") || whole.hasPrefix("<!--")
        return manifests.first { start, _ in
            whole.hasPrefix(start) || (hasProlog && start.hasPrefix("<") && whole.contains(start))
        }?.type
    }
}

extension CacheError {
    /// Creates the error for a document where media was expected.
    package init(document name: String, type: String) {
        let noun = type.contains("html") ? "web page" : "document"
        self.init(.notMedia, "\(name) is a \(noun) (\(type)), not media; the link may need a login or have expired")
    }
}
