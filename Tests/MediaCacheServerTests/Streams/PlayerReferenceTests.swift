import Foundation
import HLS
import MediaCache
import MediaCacheAPI
import MediaLibrary
import TestSupport
import Testing

@testable import MediaCacheServer

/// Tests of references in rewritten playlists, as found by players that parse malformed playlists differently.
struct PlayerReferenceTests {
    private static let seed =
        ProcessInfo.processInfo.environment["MEDIACACHE_FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_261_124

    @Test func rewritesEveryReferenceOfRandomPlaylists() async throws {
        print("Rewriting random playlists; MEDIACACHE_FUZZ_SEED=\(Self.seed)")
        var grammar = PlaylistGrammar(seed: Self.seed)
        let readers = try PlayerReaders()
        var found = 0
        for _ in 0..<4000 {
            let text = grammar.playlist()
            let sent = try rewritten(text)
            for (player, reference) in readers.references(of: sent) {
                found += 1
                guard PlayerReaders.leadsToOtherHost(reference) else { continue }
                Issue.record(
                    """
                    \(player) would bypass the server: \(reference.debugDescription)
                    original: \(text)
                    rewritten: \(sent)
                    """)
                return
            }
            await Task.yield()
        }
        #expect(found > 20_000)
    }

    @Test func findsReferencesWithEveryReader() throws {
        let text = "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"http://h/k\"\n#EXT-X-MEDIA:URI=\"http://h/m\"\n//h/s\n"
        let references = try PlayerReaders().references(of: text)
        for player in PlayerReaders.Player.allCases {
            let own = references.filter { $0.player == player }.map(\.reference)
            #expect(own.contains("http://h/k") && own.contains("http://h/m"), "\(player): \(own)")
            #expect(own.contains { PlayerReaders.leadsToOtherHost($0) })
        }
    }

    private func rewritten(_ text: String) throws -> String {
        let target = try PlayTarget("/play/K/https/cdn.example/a/b/index.m3u8?token=1")
        let head = ResourceHead(
            length: nil, contentType: "application/vnd.apple.mpegurl", validator: Validator(),
            validatedAt: .distantPast, entityTag: "\"1\"", peer: .local)
        let bytes = Array(text.utf8)
        var kind: PlaylistKind?
        if case .playlist(let found) = BodyKind(of: bytes) { kind = found }
        let playlist = LoadedPlaylist(bytes: bytes, head: head, url: target.url, kind: kind, scope: .any)
        let rewriter = PlaylistRewriter(
            playlist: playlist, target: target, publicPath: "", profiles: HeaderProfileStore(base: TransferSettings()),
            variableCache: PlaylistVariableCache(), signature: { _ in "" })
        return String(decoding: try rewriter.rewritten(), as: UTF8.self)
    }
}

/// A generator of malformed playlists that players parse differently.
private struct PlaylistGrammar {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let tags = [
        "KEY", "MAP", "MEDIA", "SESSION-KEY", "I-FRAME-STREAM-INF", "STREAM-INF", "PART", "PRELOAD-HINT", "DATERANGE",
        "SESSION-DATA", "CONTENT-STEERING", "RENDITION-REPORT", "IMAGE-STREAM-INF", "DEFINE", "START",
    ]
    private static let names = [
        "URI", "URI", "URI", "URI", "X-ASSET-URI", "X-ASSET-LIST", "SERVER-URI", "X-URI", "uri", "METHOD", "NAME",
        "TYPE", "VALUE", "ID", "IV", "CODECS", "x", "", "#EXT-X-MEDIA:URI", "\u{A0}URI", "URI\u{3000}", "URI ", "{$v}",
    ]
    private static let hosts = [
        "http://10.0.0.1/x", "//10.0.0.1/x", "HTTPS://10.0.0.1/", #"\\10.0.0.1\x"#, #"h\ttp://10.0.0.1/"#,
        #"\/\/10.0.0.1/x"#, "\u{A0}http://10.0.0.1/", "\u{FEFF}//10.0.0.1/", "ht\ttp://10.0.0.1/", "{$v}//10.0.0.1/",
        "{$v}/x", "{$w}//10.0.0.1/", " http://10.0.0.1/", "///10.0.0.1/", "http:10.0.0.1/x", "/\t/10.0.0.1/",
    ]
    private static let values = [
        "a.ts", "/a/b.ts", "AES-128", "a b", "", "1", "a,b", "URI=", "URI=\"", "a=b", "a\\", "\\", "'", "../../../a",
        "#EXT-X-MEDIA:TYPE=AUDIO,", "data:text/plain,x", "?URI=", "a.ts?x=", "\u{2028}", "\0", "\u{85}", "\u{1F}",
    ]
    private static let separators = [
        ",", ",", ",", ",", ", ", " ", "", "\t", " ,", ",,", ";", "\u{A0}", "=", "\"", "\\", "\u{B}", "\",", "\0",
    ]
    private static let lineEnds = ["\n", "\n", "\n", "\r\n", "\r", "\0", "\u{2028}", "\u{85}", "\u{C}", "\n\u{A0}"]
    private static let lineStarts = ["#", "#", "#", "#", "#", " #", "# ", "\u{A0}#", "x#", "\t#", "#EXTINF:4,#", "##"]

    private mutating func pick(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "" }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }

    private mutating func value() -> String {
        var text = ""
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            text += chance(0.5) ? pick(Self.hosts) : pick(Self.values)
            if chance(0.2) { text += pick(Self.separators) + pick(Self.names) + "=" + (chance(0.5) ? "\"" : "") }
        }
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<6: return "\"\(text)\""
        case 6: return "\"\(text)"
        case 7: return " \"\(text)\""
        default: return text
        }
    }

    private mutating func tag() -> String {
        var line = pick(Self.lineStarts) + "EXT-X-" + pick(Self.tags) + (chance(0.95) ? ":" : " ")
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            line += pick(Self.names) + (chance(0.95) ? "=" : " = ") + value() + pick(Self.separators)
        }
        return line
    }

    mutating func playlist() -> String {
        var text = "#EXTM3U\n"
        if chance(0.3) { text += "#EXT-X-DEFINE:NAME=\"v\",VALUE=\"\(pick(Self.hosts + Self.values))\"\n" }
        for _ in 0..<Int.random(in: 2...8, using: &generator) {
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: text += pick(Self.hosts + Self.values)
            case 1: text += "#EXTINF:4" + pick(Self.separators) + value() + pick(Self.lineEnds) + pick(Self.hosts)
            case 2: text += "# " + value() + pick(Self.separators) + tag()
            default: text += tag()
            }
            text += pick(Self.lineEnds)
        }
        return text + (chance(0.5) ? "a.ts\n" : pick(Self.hosts))
    }
}

/// Models of how players find references, based on their sources.
private struct PlayerReaders {
    enum Player: CaseIterable { case ffmpeg, vlc, hlsjs, media3, ytDlp }

    private let segment: NSRegularExpression
    private let rendition: NSRegularExpression
    private let attribute: NSRegularExpression
    private let quotedURI: NSRegularExpression
    private let pythonAttribute: NSRegularExpression
    private static let blanks = CharacterSet.whitespacesAndNewlines.union(CharacterSet(charactersIn: "\u{FEFF}"))

    init() throws {
        segment = try NSRegularExpression(
            pattern: #"#EXTINF:\s*(\d*(?:\.\d+)?)(?:,(.*)\s+)?|(?!#) *([^\s\uFEFF][^\r\n]*)|#.*"#)
        rendition = try NSRegularExpression(pattern: #"#EXT-X-MEDIA:(.*)"#)
        attribute = try NSRegularExpression(pattern: #"(.+?)=(".*?"|.*?)(?:,|$)"#)
        quotedURI = try NSRegularExpression(pattern: #"(?:URI|X-ASSET-LIST)="(.+?)""#)
        pythonAttribute = try NSRegularExpression(pattern: #"([A-Z0-9-]+)=("[^"]+"|[^",]+)(?:,|$)"#)
    }

    /// Returns whether a browser would resolve a reference to another host over HTTP.
    static func leadsToOtherHost(_ reference: String) -> Bool {
        let text = String(
            reference.trimmingCharacters(in: blanks.union(.controlCharacters)).unicodeScalars.filter {
                !"\t\n\r".unicodeScalars.contains($0)
            }
        ).replacing("\\", with: "/")
        return text.hasPrefix("//") || text.lowercased().hasPrefix("http:") || text.lowercased().hasPrefix("https:")
    }

    func references(of text: String) -> [(player: Player, reference: String)] {
        lines(text).flatMap { line in
            ffmpeg(line).map { (.ffmpeg, $0) } + vlc(line).map { (.vlc, $0) } + media3(line).map { (.media3, $0) }
                + python(line).map { (.ytDlp, $0) }
        } + hlsjs(text).map { (.hlsjs, $0) }
    }

    private func lines(_ text: String) -> [String] {
        text.unicodeScalars.split { $0 == "\n" || $0 == "\r" || $0 == "\0" }.map { String(Substring($0)) }
    }

    private func groups(_ expression: NSRegularExpression, _ text: String) -> [[String?]] {
        expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).map { match in
            (1..<match.numberOfRanges).map { Range(match.range(at: $0), in: text).map { String(text[$0]) } }
        }
    }

    /// Returns the rest of a line after one of the tags.
    private func list(_ line: String, _ tags: [String]) -> Substring? {
        for tag in tags where line.hasPrefix("#EXT-X-\(tag):") { return line.dropFirst(8 + tag.utf8.count) }
        return nil
    }

    private func ffmpeg(_ line: String) -> [String] {
        guard line.hasPrefix("#") else { return [line] }
        guard let list = list(line, ["KEY", "MEDIA", "MAP"]) else { return [] }
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = Array(list.utf8)
        var found: [String] = []
        var index = 0
        while true {
            while index < bytes.count, isBlank(bytes[index]) || bytes[index] == UInt8(ascii: ",") { index += 1 }
            guard let equals = bytes[index...].firstIndex(of: UInt8(ascii: "=")) else { return found }
            let name = bytes[index..<equals]
            var value: [UInt8] = []
            index = equals + 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "\"") {
                index += 1
                while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                    if bytes[index] == UInt8(ascii: "\\") { index += 1 }
                    if index < bytes.count { value.append(bytes[index]) }
                    index += 1
                }
                index = min(index + 1, bytes.count)
            } else {
                while index < bytes.count, !isBlank(bytes[index]), bytes[index] != UInt8(ascii: ",") {
                    value.append(bytes[index])
                    index += 1
                }
            }
            if name.elementsEqual("URI".utf8) { found.append(String(decoding: value, as: UTF8.self)) }
        }
    }

    private func vlc(_ line: String) -> [String] {
        guard line.hasPrefix("#") else { return [line] }
        guard let list = list(line, ["KEY", "MEDIA", "MAP", "SESSION-KEY", "STREAM-INF"]) else { return [] }
        var rest = Array(list.unicodeScalars)[...]
        var found: [String] = []
        while true {
            let name = rest.prefix { ("A"..."Z").contains($0) || $0 == "-" }
            rest = rest.dropFirst(name.count)
            guard rest.first == "=" else { return found }
            rest = rest.dropFirst()
            var value: [Unicode.Scalar] = []
            var isQuoted = false
            while let next = rest.first {
                if next == "\\", isQuoted {
                    rest = rest.dropFirst()
                } else if next == ",", !isQuoted {
                    break
                } else if next == "\"" {
                    isQuoted.toggle()
                }
                if let written = rest.popFirst() { value.append(written) }
            }
            rest = rest.dropFirst()
            var text = String(String.UnicodeScalarView(value))
            if text.hasPrefix("\"") { text = String(text.dropFirst().dropLast()).replacing("\\", with: "") }
            if name.elementsEqual("URI".unicodeScalars) { found.append(text) }
        }
    }

    private func hlsjs(_ text: String) -> [String] {
        var found = groups(segment, text).compactMap { $0[2] }
        let tags = [
            "KEY", "MAP", "PART", "PRELOAD-HINT", "RENDITION-REPORT", "SESSION-DATA", "SESSION-KEY",
            "I-FRAME-STREAM-INF",
        ]
        var lists = groups(rendition, text).compactMap { list in list[0].map { ($0, Set(["URI"])) } }
        for line in lines(text) {
            if let list = list(line, tags) { lists.append((String(list), ["URI"])) }
            if let list = list(line, ["CONTENT-STEERING"]) { lists.append((String(list), ["SERVER-URI"])) }
            if let list = list(line, ["DATERANGE"]) { lists.append((String(list), ["X-ASSET-URI", "X-ASSET-LIST"])) }
        }
        for (pair, names) in lists.flatMap({ list in groups(attribute, list.0).map { ($0, list.1) } }) {
            guard let name = pair[0], var value = pair[1],
                names.contains(name.trimmingCharacters(in: Self.blanks))
            else { continue }
            let isQuoted = value.count > 1 && value.hasPrefix("\"") && value.hasSuffix("\"")
            if isQuoted { value = String(value.dropFirst().dropLast()) }
            found.append(value)
        }
        return found
    }

    private func media3(_ line: String) -> [String] {
        let line = line.trimmingCharacters(in: .whitespaces)
        guard line.hasPrefix("#") else { return [line] }
        let isDateRange = line.hasPrefix("#EXT-X-DATERANGE")
        guard line.hasPrefix("#EXT"), !isDateRange else { return [] }
        return groups(quotedURI, line).prefix(1).compactMap { $0[0] }
    }

    private func python(_ line: String) -> [String] {
        let line = line.trimmingCharacters(in: Self.blanks)
        guard line.hasPrefix("#") else { return [line] }
        guard line.hasPrefix("#EXT-X-"), let colon = line.firstIndex(of: ":"), !line.hasPrefix("#EXT-X-DATERANGE")
        else {
            return []
        }
        return groups(pythonAttribute, String(line[line.index(after: colon)...])).compactMap { pair in
            guard pair[0] == "URI", let value = pair[1] else { return nil }
            return value.hasPrefix("\"") ? String(value.dropFirst().dropLast()) : value
        }
    }
}
