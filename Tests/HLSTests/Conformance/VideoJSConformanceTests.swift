import HLS
import TestSupport
import Testing

/// The 60 playlists of videojs/m3u8-parser against its parse trees, compared deeply.
@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct VideoJSConformanceTests {
    /// What the RFC forbids: by playlist, the section, and the places that differ.
    static let exceptions: [String: (section: String, places: [String])] = [
        // A body without a tag isn't a playlist: #EXTM3U is its first line.
        "empty": ("4.4.1.1", []),
        // The duration is what EXTINF says; m3u8-parser makes 0.01 of 0 for its player.
        "zeroDuration": ("4.4.4.1", [".segments[0].duration"]),
        // A range without an offset goes on in the same resource; of another one it is undefined. m3u8-parser goes on
        // across resources.
        "byteRange": ("4.4.4.2", [".segments[2].byterange.offset"]),
        "llhls-byte-range": ("4.4.4.2", [".segments[2].byterange.offset"]),
        // Without BYTERANGE-START a hint begins at byte 0; m3u8-parser goes on after the last part.
        "llhls-delta-byte-range": ("4.4.5.3", [".preloadSegment.preloadHints[0].byterange.offset"]),
    ]

    @Test func yieldsTheTreesOfM3U8Parser() throws {
        let names = try Corpora.files("videojs-m3u8-parser/expected") { $0.hasSuffix(".json") }
            .map { String($0.dropFirst("videojs-m3u8-parser/expected/".count).dropLast(".json".count)) }
        #expect(names.count == 60)
        var equal = 0
        for name in names {
            let expected = try Corpora.json("videojs-m3u8-parser/expected/\(name).json")
            let bytes = try Corpora.bytes("videojs-m3u8-parser/\(name).m3u8")
            let exception = Self.exceptions[name]
            guard let parsed = try? PlaylistParser().parse(bytes) else {
                #expect(exception != nil, "\(name) isn't read")
                continue
            }
            let differences = VideoJSTree(parsed: parsed).json.differences(from: expected)
            let unexplained = differences.filter { difference in
                exception?.places.contains { difference.hasPrefix($0 + ":") } != true
            }
            #expect(unexplained.isEmpty, "\(name): \(unexplained.prefix(4).joined(separator: "; "))")
            if differences.isEmpty { equal += 1 }
        }
        #expect(equal == names.count - Self.exceptions.count)
    }

    @Test func saysWhatAnEmptyBodyIs() throws {
        let bytes = try Corpora.bytes("videojs-m3u8-parser/empty.m3u8")
        #expect(throws: PlaylistError.notAPlaylist(.empty)) { try PlaylistParser().parse(bytes) }
    }
}
