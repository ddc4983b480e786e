import HLS
import TestSupport
import Testing

/// The playlists in the tests of videojs/m3u8-parser, compared with the expected parse trees.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct VideoJSConformanceTests {
    /// The expected trees that contradict the RFC, by playlist: the section, and the paths of the differences.
    static let exceptions: [String: (section: String, paths: [String])] = [
        // A body without #EXTM3U and without other tags isn't a playlist.
        "empty": ("4.4.1.1", []),
        // EXTINF declares a duration of 0, which m3u8-parser replaces with 0.01 for its player.
        "zeroDuration": ("4.4.4.1", [".segments[0].duration"]),
        // A range without an offset follows the previous range of its resource. m3u8-parser also continues ranges of
        // other resources.
        "byteRange": ("4.4.4.2", [".segments[2].byterange.offset"]),
        "llhls-byte-range": ("4.4.4.2", [".segments[2].byterange.offset"]),
        // A hint without BYTERANGE-START begins at byte 0. m3u8-parser continues after the last part.
        "llhls-delta-byte-range": ("4.4.5.3", [".preloadSegment.preloadHints[0].byterange.offset"]),
    ]

    @Test func matchesM3U8ParserTrees() throws {
        let names = try Corpora.files("videojs-m3u8-parser/expected") { $0.hasSuffix(".json") }
            .map { String($0.dropFirst("videojs-m3u8-parser/expected/".count).dropLast(".json".count)) }
        #expect(names.count == 60)
        var equal = 0
        for name in names {
            let expected = try Corpora.json("videojs-m3u8-parser/expected/\(name).json")
            let bytes = try Corpora.bytes("videojs-m3u8-parser/\(name).m3u8")
            let exception = Self.exceptions[name]
            guard let parsed = try? PlaylistParser().parse(bytes) else {
                #expect(exception != nil, "\(name) can't be parsed")
                continue
            }
            let differences = VideoJSTree(parsed: parsed).json.differences(from: expected)
            let unexplained = differences.filter { difference in
                exception?.paths.contains { difference.hasPrefix($0 + ":") } != true
            }
            #expect(unexplained.isEmpty, "\(name): \(unexplained.prefix(4).joined(separator: "; "))")
            if differences.isEmpty { equal += 1 }
        }
        #expect(equal == names.count - Self.exceptions.count)
    }
}
