/// The kind of a response body, detected from its first bytes and tags.
public enum BodyKind: Sendable, Hashable {
    /// A playlist. The kind is nil if neither a URI nor a tag indicates it, as in a playlist with only a header.
    case playlist(PlaylistKind?)
    /// Any other content.
    case other(OtherContent)

    static let inspectedLength = 64 * 1024

    /// Detects the kind of a body, which may be truncated.
    public init(of bytes: some Sequence<UInt8>) {
        var head = BodyKind.front(of: bytes)
        if head.withUnsafeBytes({ OtherContent($0) }) == .empty {
            // The blank lines before the content may exceed the inspected length.
            let rest = bytes.drop { $0.isBlank || $0 == .lineFeed || $0 == .carriageReturn || $0 >= 0xBB }
            head = BodyKind.front(of: rest)
        }
        self = head.withUnsafeBytes { BodyKind(head: $0) }
        if case .other = self, let text = UTF16Text.utf8(head),
            case .playlist(let kind) = text.withUnsafeBytes({ BodyKind(head: $0) })
        {
            self = .playlist(kind)
        }
    }

    private static func front(of bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.withContiguousStorageIfAvailable { Array($0.prefix(inspectedLength)) }
            ?? Array(bytes.prefix(inspectedLength))
    }

    init(head bytes: UnsafeRawBufferPointer) {
        if BodyKind.startsLikePlaylist(bytes) {
            self = .playlist(PlaylistKind.detect(bytes))
        } else {
            self = .other(OtherContent(bytes))
        }
    }

    /// Returns whether a tag is among the first 20 lines that aren't blank, and no earlier line begins with `<` or `{`.
    /// Any tag counts, since some servers omit `#EXTM3U`.
    static func startsLikePlaylist(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if OtherContent.signature(bytes) != nil { return false }
        var lines = LineScanner(bytes)
        var seen = 0
        while let line = lines.next(), seen < 20 {
            let range = bytes.trimmed(line.start, line.end)
            guard let first = range.first else { continue }
            if bytes.has("#EXT", at: first) { return true }
            if bytes[first] == .lessThan || bytes[first] == .openBrace { return false }
            seen += 1
        }
        return false
    }
}

/// The content of a body that isn't a playlist.
public enum OtherContent: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// No bytes, or only blank lines.
    case empty
    /// A web page, often for a login or an error.
    case html = "HTML"
    /// XML, such as a DASH manifest.
    case xml = "XML"
    /// JSON.
    case json = "JSON"
    /// Gzip data, possibly a compressed playlist; see ``PlaylistParser/inflate``.
    case gzip
    /// MPEG-2 transport stream packets.
    case transportStream = "MPEG-TS"
    /// ISO base media: MP4 or fragmented MP4.
    case mp4 = "MP4"
    /// Packed audio that begins with an ID3 tag or an ADTS frame.
    case packedAudio = "packed audio"
    /// WebVTT subtitles.
    case webVTT = "WebVTT"
    /// An image: JPEG, PNG, GIF or WebP.
    case image
    /// A list of absolute URLs without `#EXTM3U`, such as an old M3U playlist of files or radio stations.
    case urlList
    /// Other text.
    case text
    /// Other bytes.
    case binary

    /// A phrase that completes "The body is …".
    public var description: String {
        switch self {
        case .empty: "empty or has only blank lines"
        case .image: "an image"
        case .urlList: "a list of URLs without #EXTM3U, which isn't HLS"
        default: rawValue
        }
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        if let signature = OtherContent.signature(bytes) {
            self = signature
            return
        }
        let start = LineScanner.hasByteOrderMark(bytes) ? 3 : 0
        guard let first = bytes[start...].firstIndex(where: { !$0.isBlank && $0 != .lineFeed && $0 != .carriageReturn })
        else {
            self = .empty
            return
        }
        self = OtherContent.text(bytes, first)
    }

    /// Returns the content that a signature in the first bytes identifies; nil if there is none.
    static func signature(_ bytes: UnsafeRawBufferPointer) -> OtherContent? {
        if bytes.has("\u{1F}", at: 0), bytes.count > 1, bytes[1] == 0x8B { return .gzip }
        if bytes.count >= 188, bytes[0] == 0x47, bytes.count < 189 || bytes[188] == 0x47 { return .transportStream }
        if bytes.has("ftyp", at: 4) || bytes.has("styp", at: 4) || bytes.has("moov", at: 4) || bytes.has("moof", at: 4)
            || bytes.has("sidx", at: 4)
        {
            return .mp4
        }
        if bytes.has("ID3", at: 0) { return .packedAudio }
        if bytes.count > 1, bytes[0] == 0xFF, bytes[1] & 0xF6 == 0xF0 { return .packedAudio }
        if bytes.has("WEBVTT", at: 0) || bytes.has("WEBVTT", at: 3) { return .webVTT }
        if bytes.has("PNG", at: 1) || bytes.has("GIF8", at: 0) || bytes.has("WEBP", at: 8) { return .image }
        if bytes.count > 2, bytes[0] == 0xFF, bytes[1] == 0xD8, bytes[2] == 0xFF { return .image }
        return nil
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ first: Int) -> OtherContent {
        let head = bytes[first..<min(first + 512, bytes.count)]
        // Encrypted content may begin with any byte, including a bracket.
        let isText = head.allSatisfy { $0 >= 0x20 || $0 == .tab || $0 == .lineFeed || $0 == .carriageReturn }
        guard isText else { return .binary }
        switch bytes[first] {
        case .openBrace, UInt8(ascii: "["): return .json
        case .lessThan:
            let lowercased = head.map { $0 | 0x20 }
            return lowercased.contains(Array("html".utf8)) || lowercased.contains(Array("<body".utf8)) ? .html : .xml
        default: return isURLs(bytes) ? .urlList : .text
        }
    }

    /// Returns whether the first lines that aren't comments are all absolute URLs.
    private static func isURLs(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var lines = LineScanner(bytes.part(0..<min(bytes.count, BodyKind.inspectedLength)))
        var seen = 0
        while let line = lines.next(), seen < 20 {
            let range = bytes.trimmed(line.start, line.end)
            guard let first = range.first, bytes[first] != .numberSign else { continue }
            let reference = URLReference(String(playlistBytes: bytes.part(range)))
            guard reference.scheme != nil, reference.authority?.isEmpty == false,
                !bytes[range].contains(where: \.isBlank)
            else { return false }
            seen += 1
        }
        return seen > 0
    }
}
