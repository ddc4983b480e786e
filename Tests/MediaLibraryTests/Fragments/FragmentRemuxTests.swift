import Foundation
import HLS
import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct FragmentRemuxTests {
    private let base = "http://h/"

    private func corpus(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Prerequisite.corpora.appending(path: path)))
    }

    private func playlist(_ lines: String...) -> [UInt8] {
        Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n".utf8)
    }

    private func fragment(
        _ resources: MemoryResources, _ number: Int, _ kind: MediaKind
    ) throws -> MediaFragment? {
        let table = try SegmentTable(playlist: base + "index.m3u8", resources: resources)
        var remux = FragmentRemux(resources)
        return try remux.fragment(of: try #require(try table.part(number)), kind: kind)
    }

    @Test func listsSegmentsWithGapsDiscontinuitiesAndDates() throws {
        let resources = MemoryResources([
            base + "index.m3u8": playlist(
                "#EXT-X-MEDIA-SEQUENCE:7", "#EXT-X-DISCONTINUITY-SEQUENCE:3",
                "#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00Z", "#EXTINF:4,", "a.ts", "#EXT-X-GAP", "#EXTINF:5,",
                "b.ts", "#EXT-X-DISCONTINUITY", "#EXTINF:6,", "c.ts")
        ])
        let table = try SegmentTable(playlist: base + "index.m3u8", resources: resources)
        #expect(table.rows.map(\.number) == [7, 8, 9])
        #expect(table.rows.map(\.start) == [0, 4, 9])
        #expect(table.rows.map(\.discontinuity) == [3, 3, 4])
        #expect(table.rows.map(\.isGap) == [false, true, false])
        let start: Int64 = 1_767_225_600_000_000_000
        #expect(table.rows.compactMap(\.date) == [start, start + 4_000_000_000, start + 9_000_000_000])
        #expect(table.duration == 15 && !table.isLive && table.targetDuration == 9)
        #expect(try table.part(9)?.url == base + "c.ts")
        #expect(try table.part(6) == nil && table.part(10) == nil)
    }

    /// The result equals that of the clear segment. The initialization vector is the media sequence number.
    @Test func decryptsSegment() throws {
        let clip = try #require(PublicClip.bytes)
        let key = (0..<16).map { UInt8($0) }
        let encrypted = encryptAES(clip, key: key, vector: [UInt8](repeating: 0, count: 15) + [8])
        let resources = MemoryResources([
            base + "index.m3u8": playlist(
                "#EXT-X-MEDIA-SEQUENCE:7", "#EXTINF:9,", "1.ts", "#EXT-X-KEY:METHOD=AES-128,URI=\"key\"",
                "#EXTINF:9,", "2.ts"),
            base + "1.ts": clip, base + "2.ts": encrypted, base + "key": key,
        ])
        for kind in [MediaKind.video, .audio] {
            let clear = try fragment(resources, 7, kind)
            #expect(clear != nil)
            #expect(try fragment(resources, 8, kind) == clear)
        }
    }

    @Test func refusesSampleEncryption() throws {
        let clip = try #require(PublicClip.bytes)
        let resources = MemoryResources([
            base + "index.m3u8": playlist("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"key\"", "#EXTINF:9,", "1.ts"),
            base + "1.ts": clip,
        ])
        let error = #expect(throws: ContainerError.self) { try fragment(resources, 0, .video) }
        #expect(error?.code == .encrypted)
    }

    /// Packed audio has the clock of its timestamp tag.
    @Test func placesPackedAudioAtItsTimestamp() throws {
        let folder = "shaka-player/hls-raw-aac/"
        var files: [String: [UInt8]] = [base + "index.m3u8": try corpus(folder + "stream.m4a.m3u8")]
        for index in 0..<4 {
            files[base + "fileSequence\(index).aac"] = try corpus(folder + "fileSequence\(index).aac")
        }
        let resources = MemoryResources(files)
        let shown = try (0..<4).map { try #require(try fragment(resources, $0, .audio)?.shown) }
        for (one, next) in zip(shown, shown.dropFirst()) { #expect(abs(one.upperBound - next.lowerBound) < 0.05) }
        #expect(try fragment(resources, 0, .video) == nil)
    }
}
