import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import MediaCache

/// Tests of the media types, freshness and ranges in response heads.
struct HeadParsingTests {
    @Test(
        arguments: [
            ("bytes 0-499/1000", 0..<500, 1000), ("BYTES 5-5/*", 5..<6, nil), ("bytes */10", nil, 10),
        ] as [(String, Range<Int64>?, Int64?)])
    func parsesContentRanges(_ text: String, _ range: Range<Int64>?, _ length: Int64?) {
        let content = ContentRange(text)
        #expect(content?.range == range)
        #expect(content?.completeLength == length)
    }

    @Test(arguments: [
        "", "bytes", "bytes 0-499", "bytes 5-4/10", "bytes 0-10/10", "bytes */*", "items 0-1/2", "bytes -1-5/10",
        "bytes 0-/10", "bytes 0-9223372036854775807/*", "bytes 0-99999999999999999999/*", "bytes +0-1/2",
        "bytes 0-1/2/3",
    ])
    func returnsNilForInvalidContentRanges(_ text: String) {
        #expect(ContentRange(text) == nil)
    }

    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        arguments: [
            (["Cache-Control": "max-age=60"], 59.0, Freshness.Use.fresh),
            (["Cache-Control": "max-age=60"], 61, .revalidateInBackground),
            (["Cache-Control": "public, Max-Age=\"60\", x", "Age": "50"], 11, .revalidateInBackground),
            (["Cache-Control": "max-age=60, must-revalidate"], 59, .fresh),
            (["Cache-Control": "max-age=60, Must-Revalidate"], 61, .revalidateFirst),
            (["Cache-Control": "must-revalidate"], 1, .fresh),
            (["Cache-Control": "max-age=60, proxy-revalidate"], 61, .revalidateInBackground),
            (["Cache-Control": "max-age=60, s-maxage=0"], 59, .fresh),
            (["Cache-Control": "max-age=60, no-cache"], 1, .revalidateFirst),
            (["Cache-Control": "max-age=banana"], 1, .revalidateInBackground),
            (["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], 59, .fresh),
            (["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"], 61, .revalidateInBackground),
            (["Expires": "0"], 1, .revalidateInBackground),
            (["Cache-Control": "max-age=60", "Expires": "0"], 1, .fresh), (["Pragma": "no-cache"], 1, .revalidateFirst),
            ([:], 1, .fresh), ([:], 86_401, .revalidateInBackground), ([:], -5, .revalidateInBackground),
        ] as [([String: String], Double, Freshness.Use)])
    func determinesFreshnessByHeaderFields(_ fields: [String: String], _ age: Double, _ use: Freshness.Use) throws {
        var header: HTTPFields = [:]
        for (name, value) in fields { header[try #require(HTTPField.Name(name))] = value }
        let freshness = Freshness(header, now: Self.now)
        let later = Self.now.addingTimeInterval(age)
        #expect(freshness.use(validatedAt: Self.now, checkedThisOpening: true, now: later) == use)
    }

    @Test(arguments: ["nan", "-nan", "inf", "-inf", "1e999", "x"])
    func ignoresAgeThatIsNoNumber(_ age: String) {
        let freshness = Freshness([.cacheControl: "max-age=60", .age: age], now: Self.now)
        #expect(freshness.freshUntil == Self.now.addingTimeInterval(60))
    }

    @Test(arguments: [Freshness(mustRevalidate: true), Freshness(freshUntil: .distantPast), Freshness()])
    func remembersFailedRevalidationForOneMinute(_ freshness: Freshness) {
        for (age, isRemembered) in [(0.0, true), (59, true), (60, false), (-1, false)] {
            let later = Self.now.addingTimeInterval(age)
            let use = freshness.use(
                validatedAt: Self.now, checkedThisOpening: true, now: later, isStale: true)
            #expect((use == .fresh) == isRemembered)
        }
        let use = freshness.use(
            validatedAt: Self.now, checkedThisOpening: false, now: Self.now, isStale: true)
        #expect(use != .fresh)
    }

    @Test func preservesMustRevalidateAfterBareConfirmation() {
        let known = Freshness(freshUntil: Self.now.addingTimeInterval(60), forbidsStale: true)
        let later = Self.now.addingTimeInterval(100)
        let confirmed = Freshness([:], confirming: known, from: Self.now, now: later)
        #expect(confirmed.forbidsStale)
        #expect(confirmed.freshUntil == later.addingTimeInterval(60))
    }

    @Test func revalidatesInBackgroundAtFirstUseWithoutLifetime() {
        #expect(
            Freshness().use(validatedAt: Self.now, checkedThisOpening: false, now: Self.now) == .revalidateInBackground)
    }

    @Test(
        arguments: [
            ("\u{0}\u{0}\u{0}\u{18}ftypisom", "video/mp4"), ("\u{0}\u{0}\u{0}\u{18}ftypM4A ", "audio/mp4"),
            ("\u{0}\u{0}\u{0}\u{18}ftypqt  ", "video/quicktime"), ("OggS", "application/ogg"), ("fLaC", "audio/flac"),
            ("RIFFxxxxWAVE", "audio/wav"), ("#EXTM3U\n", "application/vnd.apple.mpegurl"),
            ("\u{FEFF}#EXTM3U", "application/vnd.apple.mpegurl"), (" \r\n<!DOCTYPE html>", "text/html"),
            ("<HTML><x>", "text/html"), ("<!-- hi --><html>", "text/html"), ("WEBVTT\n", "text/vtt"),
            ("GIF89a", "image/gif"), ("#EXTM3U\u{301}\n", "application/vnd.apple.mpegurl"),
            ("#EXTM3U\u{200D}\n", "application/vnd.apple.mpegurl"), ("#EXTM3", nil), ("#EXTM3V", nil),
            (String(repeating: "\r\n", count: 400) + "#EXTM3U", "application/vnd.apple.mpegurl"),
            ("ID3\u{4}", nil), ("{\"a\":1}", nil), ("", nil), ("G", nil), ("hello", nil),
        ] as [(String, String?)])
    func detectsTypeByFirstBytes(_ text: String, _ type: String?) {
        #expect(Array(text.utf8).withUnsafeBytes(MediaType.sniff) == type)
    }

    @Test(arguments: [
        "<?xml version=\"1.0\"?>\n<MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\">", "<MPD>", "\u{FEFF} <mpd ",
        "<!-- x --><MPD>", "<?xml version=\"1.0\"?>\n<!-- x -->\n<SmoothStreamingMedia MajorVersion=\"2\">",
        "<SmoothStreamingMedia>", "<asx version=\"3.0\">", "<ASX>", "ffconcat version 1.0\nfile a.ts",
        "[playlist]\nFile1=http://10.0.0.1/", "\n[Playlist]\r", "[Reference]\r\nRef1=http://10.0.0.1/",
        "RTSPtext\r\nrtsp:",
        "RTSPtextRTSP://10.0.0.1/", "\u{FEFF}[playlist]",
    ])
    func refusesDocumentsThatPlayersFollow(_ text: String) throws {
        for extra in ["", String(repeating: " ", count: 600)] {
            let bytes = Array((extra + text).utf8)
            for (declared, name) in [("video/mp4", "film.mp4"), ("audio/mpeg", "song"), (nil, "film.mkv")] {
                let error = #expect(throws: CacheError.self) {
                    try MediaType.checked(
                        .body(bytes), declared: declared, of: try ResourceURL("http://origin.example/\(name)"),
                        as: .file, length: nil)
                }
                #expect(error?.code == .notMedia)
            }
        }
    }

    /// Documents aren't refused if their URL or type announces them.
    @Test func acceptsAnnouncedManifest() throws {
        let bytes = Array("<?xml version=\"1.0\"?>\n<MPD>".utf8)
        let type = try MediaType.checked(
            .body(bytes), declared: "application/dash+xml", of: try ResourceURL("http://origin.example/a.mpd"),
            as: .file, length: nil)
        #expect(type == "application/dash+xml")
    }

    @Test(
        arguments: [
            ("", true), ("\u{FEFF}", true), (" \r\n", true), ("#", true), ("\n#EXTM3", true), ("#EXTM3U", false),
            ("#EXTV", false), ("\nG", false), ("\u{0}", false), ("ID3", false),
        ] as [(String, Bool)])
    func detectsUndecidedPlaylistFront(_ text: String, _ isUndecided: Bool) {
        #expect(Array(text.utf8).withUnsafeBytes(MediaType.mayBecomePlaylist) == isUndecided)
    }

    /// The byte order mark of little-endian text resembles the header of an MPEG audio frame.
    @Test func distinguishesUTF16TextFromAudio() {
        let text = "\u{FEFF}#EXTM3U\n#EXTINF:6,\na.ts\n"
        let little = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        for bytes in [little, big] {
            #expect(bytes.withUnsafeBytes(MediaType.sniff) == "application/vnd.apple.mpegurl")
        }
    }

    @Test func detectsTransportStreamsByPackets() {
        for (start, size) in [(0, 188), (4, 192)] {
            var bytes = [UInt8](repeating: 0x20, count: 1024)
            for offset in stride(from: start, to: bytes.count, by: size) { bytes[offset] = 0x47 }
            #expect(bytes.withUnsafeBytes(MediaType.sniff) == "video/mp2t")
            bytes[start + size] = 0
            #expect(bytes.withUnsafeBytes(MediaType.sniff) == nil)
        }
    }

    @Test(
        arguments: [
            ("video/mp2t", "text/html", "ts", "video/mp2t"), ("video/mp4", "audio/mp4; x=y", "mp4", "audio/mp4"),
            ("video/mp4", "application/octet-stream", "m4a", "audio/mp4"),
            (nil, "application/octet-stream", "mp3", "audio/mpeg"),
            (nil, nil, "mkv", "video/x-matroska"), (nil, nil, "", "application/octet-stream"),
            (nil, "application/json", "m3u8", "application/json"),
            (nil, "text/plain; charset=utf-8", "vtt", "text/vtt"),
        ] as [(String?, String?, String, String)])
    func determinesTypeByBytesThenHeadThenExtension(
        _ sniffed: String?, _ declared: String?, _ ext: String, _ type: String
    ) {
        #expect(MediaType.resolve(sniffed: sniffed, declared: declared, pathExtension: ext) == type)
    }

    @Test func sniffsRandomBytesWithoutCrash() {
        print("seed 3")
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5000 {
            let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let type = bytes.withUnsafeBytes(MediaType.sniff)
            #expect(type.map { $0.contains("/") } ?? true)
        }
    }

    @Test(arguments: [
        ("video/mp4", "video/mp4"), ("Video/MP4", "video/mp4"), ("text/html; charset=utf-8", "text/html"),
        ("audio/mpeg ;q=1", "audio/mpeg"), ("audio/aac\t", "audio/aac"), ("video/\u{C9}", nil), ("", nil),
        (";", nil), ("video/mp4,text/html", nil), ("video/mp4;codecs=\"a,b\"", "video/mp4"), ("video/mp4;x, a/b", nil),
        ("video", nil), ("video/", nil), ("/mp4", nil), ("video/mp4/x", nil), ("video /mp4", nil),
        ("video/mp4\u{0B}", nil), ("video/mp4; x=\"", nil),
    ])
    func returnsTypeWithoutParameters(declared: String, essence: String?) {
        #expect(MediaType.essence(declared) == essence)
    }

    @Test func parsesParametersWithoutQuotes() {
        let text =
            "Audio/MP4 ; Codecs=\"mp4a.\\40.2, x\";charset = utf-8; CHARSET=\"UTF-8\"; x; y=\"a\"b;charset=latin1;;"
        let parsed = MediaType.parse(text)
        #expect(parsed?.essence == "audio/mp4")
        #expect(parsed?.parameters == ["codecs": "mp4a.40.2, x", "charset": "UTF-8"])
        #expect(MediaType.parse("video/mp4;" + String(repeating: "x", count: 1024)) == nil)
    }
}

struct HTTPDateTests {
    @Test func formatsDateAsInStandard() {
        #expect(HTTPDate.format(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 1999 23:59:60 GMT", 946_684_800),
        ("Tue, 01 Mar 2022 00:00:00 GMT", 1_646_092_800),
    ])
    func readsAllThreeFormats(_ text: String, _ seconds: Double) {
        #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
    }

    @Test func readsWrittenDates() {
        for second in stride(from: Int64(-3_000_000_000), to: 10_000_000_000, by: 98_765_431) {
            #expect(HTTPDate.parse(HTTPDate.format(second))?.timeIntervalSince1970 == Double(second))
        }
    }

    @Test(arguments: [
        "", "0", "-1", "yesterday", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "a b c d e", "Sun, x Nov y z GMT",
        "Sun, 06 Nov 999999999999999999 08:49:37 GMT", "Sun, 06 Nov 1994 1:2 GMT", "Sun, 06 Nov 10000 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT <script>",
    ])
    func refusesInvalidDates(_ text: String) {
        #expect(HTTPDate.parse(text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 <b>", " Sun, 6 Nov 1994 08:49:37",
    ])
    func rewritesDatesInPreferredForm(_ text: String) {
        #expect(HTTPDate.canonical(text) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// The leap second at the end of 9999 leads to the year 10000.
    @Test(arguments: [
        "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 29:49:37 GMT", "\u{1}", "Sun,",
        "Friday, 31-Dec-9999 23:59:60 GMT", "Sunday, 06-Nov-500 08:49:37 GMT",
    ])
    func dropsInvalidDates(_ text: String) {
        #expect(HTTPDate.canonical(text) == nil)
    }
}
