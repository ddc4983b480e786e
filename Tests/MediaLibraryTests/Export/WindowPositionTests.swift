import Foundation
import HLS
import MediaContainers
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests of windows in playlists whose durations are rounded.
struct WindowPositionTests {
    /// 2026-01-31T20:00:00Z.
    private static let begin: Int64 = 1_769_889_600_000_000_000

    /// Returns a playlist with exact dates and rounded durations.
    private func text(
        count: Int, extinf: String, span: Double, discontinuities: Bool = false,
        _ change: (Int) -> String? = { _ in nil }
    ) -> String {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n"
        for index in 0..<count {
            let wall = Self.begin + Int64((Double(index) * span * 1000).rounded()) * 1_000_000
            let date = DateTime(nanosecondsSinceEpoch: wall)
            if discontinuities, index > 0 { text += "#EXT-X-DISCONTINUITY\n" }
            text += "#EXT-X-PROGRAM-DATE-TIME:\(date)\n#EXTINF:\(extinf),\n\(change(index) ?? "1.ts")\n"
        }
        return text + "#EXT-X-ENDLIST\n"
    }

    private func playlist(_ text: String) throws -> MediaPlaylist {
        guard case .media(let playlist) = try PlaylistParser().parse(Array(text.utf8)).playlist else {
            throw CancellationError()
        }
        return playlist
    }

    @Test(arguments: [("6.24", 6.0), ("7", 6.4), ("6", 6.006), ("6.005", 6.0), ("1", 0.6)])
    func windowEndsAtDatesOfSegments(extinf: String, span: Double) throws {
        let playlist = try playlist(text(count: Int(7200 / span), extinf: extinf, span: span))
        let (from, to) = (Self.begin + 301_500_000_000, Self.begin + 7_000_250_000_000)
        let position = try #require(WindowPosition(of: [playlist], from: from, to: to))
        #expect(abs(position.from - 301.5) < 0.002)
        #expect(abs(try #require(position.to) - 7000.25) < 0.002)
    }

    /// Media contains no trace of an outage, so the next segment follows immediately.
    @Test func outageHasNoDuration() throws {
        let lines = [0, 6, 12, 612, 618].enumerated().map { index, second in
            let date = DateTime(nanosecondsSinceEpoch: Self.begin + Int64(second) * 1_000_000_000)
            let join = second == 612 ? "#EXT-X-DISCONTINUITY\n" : ""
            return "\(join)#EXT-X-PROGRAM-DATE-TIME:\(date)\n#EXTINF:6.1,\n\(index).ts\n"
        }
        let playlist = try playlist("#EXTM3U\n#EXT-X-TARGETDURATION:7\n\(lines.joined())#EXT-X-ENDLIST\n")
        let position = try #require(WindowPosition(of: [playlist], from: Self.begin, to: Self.begin + 615_000_000_000))
        #expect(abs(try #require(position.to) - 21.1) < 0.001)
    }

    /// Gaps in audio count too. Simultaneous gaps in audio and video count once.
    @Test func listsGapsOfAllPlaylists() throws {
        func playlist(gaps: Set<Int>) throws -> MediaPlaylist {
            try self.playlist(
                text(count: 20, extinf: "6", span: 6) { gaps.contains($0) ? "#EXT-X-GAP\n\($0).ts" : nil })
        }
        let playlists = [try playlist(gaps: [3, 8]), try playlist(gaps: [1, 3, 5, 18])]
        let position = try #require(
            WindowPosition(of: playlists, from: Self.begin + 12_000_000_000, to: Self.begin + 90_000_000_000))
        #expect(position.gaps.map(\.wall) == [3, 5, 8].map { Self.begin + $0 * 6_000_000_000 })
        #expect(position.from == 12 && position.to == 90)
    }

    /// Writes a window to an MP4 file. Returns the duration in seconds, and the number of missing segments.
    private func export(
        _ text: String, from: Double, to: Double, leavesGaps: Bool = false
    ) throws -> (seconds: Double, missing: Int) {
        let clip = try #require(PublicClip.bytes)
        let resources = MemoryResources(["http://h/index.m3u8": Array(text.utf8), "http://h/1.ts": clip])
        let nanoseconds = [from, to].map { Self.begin + Int64($0 * 1e9) }
        let position = try #require(WindowPosition(of: [try playlist(text)], from: nanoseconds[0], to: nanoseconds[1]))
        var remux = try resources.remux()
        remux.missingParts = leavesGaps ? .leaveGaps : .fail
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).mp4").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try remux.writeMovie(
            to: FileSink(path: path), from: position.from, to: position.to, kinds: [.video, .audio], duration: to - from
        )
        let movie = try MP4Reader(FileSource(path: path)).movie
        let seconds = movie.tracks.map { track in
            let shown = track.edits.edits.reduce(0) { $0 + ($1.mediaTime == nil ? 0 : Int64($1.duration)) }
            return Double(shown) / Double(movie.timescale)
        }
        return (seconds.max() ?? 0, remux.missing.count)
    }

    /// Each stated duration is half a second too long, so by the durations the window's last segment would start 12 s
    /// late.
    @Test(.enabled(if: try Prerequisite.hasCorpora()))
    func exportEndsAtEndOfWindow() throws {
        let clip = try #require(PublicClip.bytes)
        var remuxer = Remuxer(into: VideoDuration())
        try remuxer.append(MemorySource(clip))
        let span = try remuxer.finish().seconds
        let text = text(count: 30, extinf: "\(span + 0.5)", span: span, discontinuities: true)
        let result = try export(text, from: 3, to: span * 24 + 5)
        #expect(abs(result.seconds - (span * 24 + 2)) < 0.6)
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora()), arguments: [true, false])
    func missingFirstSegmentDoesNotMoveStart(isKnown: Bool) throws {
        let text = text(count: 3, extinf: "9", span: 9, discontinuities: true) { index in
            index > 0 ? nil : isKnown ? "#EXT-X-GAP\ngone.ts" : "gone.ts"
        }
        let result = try export(text, from: 4, to: 14, leavesGaps: true)
        #expect(result.missing == (isKnown ? 0 : 1))
        #expect(abs(result.seconds - 5) < 0.2)
        let later = try export(text, from: 12, to: 14, leavesGaps: true)
        #expect(abs(later.seconds - 2) < 0.2)
    }
}

/// A sink that adds up the durations of video samples.
private struct VideoDuration: SampleSink {
    private var isVideo: [Bool] = []
    private(set) var seconds = 0.0

    mutating func tracks(_ tracks: [MediaTrack]) { isVideo = tracks.map { $0.kind == .video } }

    mutating func sample(_ sample: MediaSample, bytes _: UnsafeRawBufferPointer) {
        if isVideo[sample.track] { seconds += Double(sample.duration) / 90_000 }
    }
}
