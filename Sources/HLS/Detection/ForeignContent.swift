/// What a body is that isn't a playlist.
public enum ForeignContent: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// No bytes, or only white space.
    case empty
    /// A web page: often a login or error page.
    case html = "HTML"
    /// XML, a DASH manifest among others.
    case xml = "XML"
    /// JSON.
    case json = "JSON"
    /// gzip: a compressed playlist, perhaps; see ``PlaylistParser/inflate``.
    case gzip
    /// MPEG-2 transport stream packets.
    case transportStream = "MPEG-TS"
    /// ISO base media: MP4, fragmented MP4.
    case mp4 = "MP4"
    /// Packed audio: an ID3 tag or ADTS frames.
    case packedAudio = "packed audio"
    /// WebVTT subtitles.
    case webVTT = "WebVTT"
    /// A picture: JPEG, PNG, GIF or WebP.
    case image
    /// Absolute URLs, one on a line, without `#EXTM3U`: a list of files or stations, as old players write it.
    case urlList
    /// Other text.
    case text
    /// Other bytes.
    case binary

    /// A few words for messages.
    public var description: String {
        switch self {
        case .empty: "empty, or blank lines alone"
        case .urlList: "a list of URLs without #EXTM3U, which isn't HLS"
        default: rawValue
        }
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        if let signature = ForeignContent.signature(bytes) {
            self = signature
            return
        }
        let start = LineScanner.hasByteOrderMark(bytes) ? 3 : 0
        guard let first = bytes[start...].firstIndex(where: { !$0.isBlank && $0 != .lineFeed && $0 != .carriageReturn })
        else {
            self = .empty
            return
        }
        self = ForeignContent.text(bytes, first)
    }

    /// What the first bytes tell for certain.
    static func signature(_ bytes: UnsafeRawBufferPointer) -> ForeignContent? {
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

    private static func text(_ bytes: UnsafeRawBufferPointer, _ first: Int) -> ForeignContent {
        let head = bytes[first..<min(first + 512, bytes.count)]
        // What is encrypted may begin with any byte.
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

    /// Whether the first lines that are no comments are all URLs.
    private static func isURLs(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var lines = LineScanner(bytes.part(0, min(bytes.count, BodyKind.inspectedLength)))
        var seen = 0
        while let line = lines.next(), seen < 20 {
            let range = bytes.trimmed(line.start, line.end)
            guard let first = range.first, bytes[first] != .numberSign else { continue }
            let reference = URLReference(String(playlistBytes: bytes.part(range.lowerBound, range.upperBound)))
            guard reference.scheme != nil, reference.authority?.isEmpty == false,
                !bytes[range].contains(where: \.isBlank)
            else { return false }
            seen += 1
        }
        return seen > 0
    }
}

extension [UInt8] {
    fileprivate func contains(_ word: [UInt8]) -> Bool {
        guard count >= word.count else { return false }
        return (0...(count - word.count)).contains { self[$0..<($0 + word.count)].elementsEqual(word) }
    }
}
