import HLS
import Testing

@testable import MediaLibrary

/// Tests of the keys, media initialization sections and byte ranges of recorded segments.
struct TrackConditionsTests {
    private var playlist = FollowedPlaylist()

    private static func key(_ name: String, iv: String? = nil, method: String = "AES-128") -> String {
        "#EXT-X-KEY:METHOD=\(method),URI=\"http://origin.example/\(name)\"" + (iv.map { ",IV=\($0)" } ?? "")
    }

    private func keys(_ rows: [RecordedSegment]) -> [String] { rows.map { $0.conditions.keys.first?.uri ?? "" } }

    @Test mutating func sharesKeyAmongSegments() throws {
        playlist.header = Self.key("a.key") + "\n"
        playlist.lines[8] = Self.key("b.key")
        for end in 6..<14 { try playlist.load(end - 6..<end) }
        let expected: [String] = (0..<13).map { number in number < 8 ? "key-1.key.ts" : "key-2.key.ts" }
        #expect(keys(playlist.rows) == expected)
        #expect(playlist.rows.allSatisfy { $0.conditions.companions.count == 1 })
        playlist.restart()
        playlist.header = Self.key("b.key") + "\n"
        #expect(keys(try playlist.load(9..<15)) == ["key-2.key.ts", "key-2.key.ts"])
        playlist.header = Self.key("c.key") + "\n"
        #expect(keys(try playlist.load(15..<21)).last == "key-3.key.ts")
    }

    @Test(arguments: ["AES-128", "SAMPLE-AES"]) mutating func vectorsUseOriginNumbers(method: String) throws {
        playlist.header = Self.key("a.key", method: method) + "\n"
        playlist.shift = 300
        // While the numbers agree, no explicit vector is needed.
        #expect(try playlist.load(0..<6).allSatisfy { $0.conditions.keys.first?.iv == nil })
        // From here on, the numbers differ.
        playlist.names = "http://origin.example/live/b#.ts"
        playlist.shift = 0
        playlist.began = 60
        func vectors(_ rows: [RecordedSegment]) -> [Int] {
            rows.filter { $0.state != .gap }.map { row in
                row.conditions.keys.first?.iv.map { Int($0.bytes.last ?? 0) } ?? -1
            }
        }
        #expect(vectors(try playlist.load(0..<3)) == [0, 1, 2])
        #expect(vectors(try playlist.load(0..<5)) == [3, 4])
        // An explicit vector is preserved.
        playlist.header = Self.key("a.key", iv: "0x00000000000000000000000000000063", method: method) + "\n"
        #expect(vectors(try playlist.load(0..<7)) == [0x63, 0x63])
    }

    /// Only keys of the format `identity` have a default initialization vector (RFC 8216bis §5.2).
    @Test mutating func keysOfOtherFormatsHaveNoVector() throws {
        playlist.header = Self.key("a.key", method: "SAMPLE-AES") + ",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n"
        playlist.shift = 300
        try playlist.load(0..<6)
        playlist.names = "http://origin.example/live/b#.ts"
        playlist.shift = 0
        playlist.began = 60
        #expect(try playlist.load(0..<3).allSatisfy { $0.conditions.keys.allSatisfy { $0.iv == nil } })
    }

    @Test mutating func keysWithChangedTokensAreShared() throws {
        for end in 6..<12 {
            playlist.header = Self.key("a.key?token=\(end)") + "\n"
            playlist.names = "http://origin.example/live/#.ts?token=\(end)"
            try playlist.load(end - 6..<end)
        }
        #expect(Set(keys(playlist.rows)) == ["key-1.key.ts"])
        // Awaited segments use the latest URL of the key.
        let refreshed = try #require(playlist.follower.refreshed(playlist.rows[8]))
        #expect(refreshed.url.hasSuffix("8.ts?token=11"))
        #expect(refreshed.conditions.companions.map(\.url) == ["http://origin.example/a.key?token=11"])
        #expect(refreshed.conditions.companions.map(\.name) == ["key-1.key.ts"])
    }

    @Test mutating func keyWithAnotherQueryIsSeparate() throws {
        playlist.header = Self.key("key?id=1") + "\n"
        playlist.lines[6] = Self.key("key?id=2")
        for end in 6..<9 { try playlist.load(end - 6..<end) }
        #expect(keys(playlist.rows).suffix(3) == ["key-1.key.ts", "key-2.key.ts", "key-2.key.ts"])
    }

    @Test mutating func sectionsAreCompanions() throws {
        playlist.names = "http://origin.example/live/#.m4s"
        playlist.header = "#EXT-X-MAP:URI=\"http://origin.example/init.mp4\"\n"
        playlist.lines[7] =
            "#EXT-X-DISCONTINUITY\n#EXT-X-MAP:URI=\"http://origin.example/all.mp4\",BYTERANGE=\"700@100\""
        for end in 6..<10 { try playlist.load(end - 6..<end) }
        let maps: [String] = playlist.rows.map { $0.conditions.map?.uri ?? "" }
        let expected: [String] = (0..<9).map { number in number < 7 ? "init-1.mp4" : "init-2.mp4" }
        #expect(maps == expected)
        #expect(playlist.rows[7].conditions.companions.map(\.range) == [100..<800])
        #expect(playlist.rows[7].conditions.map?.byteRange == nil)
        #expect(playlist.rows[7].isDiscontinuous)
        #expect(playlist.rows[7].fileExtension == "m4s")
    }

    /// A restarted encoder overwrites its initialization section under the same name. The key is unchanged.
    @Test(arguments: [true, false]) mutating func sectionAfterDiscontinuityIsSeparate(isRestarted: Bool) throws {
        playlist.names = "http://origin.example/live/#.m4s"
        playlist.header = Self.key("a.key") + "\n#EXT-X-MAP:URI=\"http://origin.example/init.mp4\"\n"
        playlist.lines[7] = "#EXT-X-DISCONTINUITY"
        try playlist.load(0..<6)
        try playlist.load(1..<7)
        if isRestarted { playlist.restart() }
        for end in 8..<12 { try playlist.load(end - 6..<end) }
        let maps: [String] = playlist.rows.map { $0.conditions.map?.uri ?? "" }
        let before = try #require(maps.first)
        #expect(maps.prefix(7).allSatisfy { $0 == before })
        #expect(maps.suffix(4).allSatisfy { $0 == maps[7] && $0 != before })
        let sections = playlist.rows.compactMap { row in
            row.conditions.companions.first { $0.role == .initializationSection }
        }
        #expect(Set(sections.map(\.url)) == ["http://origin.example/init.mp4"])
        #expect(Set(sections.map(\.name)).count == 2)
        #expect(Set(keys(playlist.rows)).count == 1)
    }

    @Test mutating func rangesContinueFromEachOther() throws {
        playlist.names = "http://origin.example/all.ts"
        for number in 0..<12 { playlist.lines[number] = "#EXT-X-BYTERANGE:100" + (number == 0 ? "@0" : "") }
        try playlist.load(0..<6)
        let ranges: [Range<Int64>?] = (0..<8).map { Int64($0 * 100)..<Int64($0 * 100 + 100) }
        #expect(playlist.rows.map(\.range) == Array(ranges.prefix(6)))
        playlist.restart()
        try playlist.load(0..<8)
        #expect(playlist.rows.map(\.range) == ranges)
    }
}
