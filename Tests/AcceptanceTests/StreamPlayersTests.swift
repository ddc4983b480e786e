import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of ffmpeg, mpv, VLC and Chromium playing HLS through the server.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe", "mpv")))
    struct StreamPlayersTests {
        /// Each player receives the same as from the origin. A second playback fetches no byte.
        @Test(arguments: StreamKind.allCases, try StreamPlayer.installed())
        func playersPlayWholeStream(kind: StreamKind, player: StreamPlayer) async throws {
            try await StreamFixtures.shared.make()
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let playlist = try kind.playlist(at: origin)
            let frames = player.reportsFrames ? try await player.play(origin.url(playlist)).frames : []
            let direct = try await origin.log()

            let url = try await server.play(origin.url(playlist))
            try await expectAll(player.play(url), frames)
            let first = try await origin.log()
            for (path, entries) in Dictionary(grouping: first.since(direct).entries, by: \.path) {
                let sent = first.since(direct).of(String(path.dropFirst()))
                #expect(sent.repeatedBytes == 0, "\(path): \(sent.summary)")
                if kind != .byteRanges { #expect(entries.count == 1, "\(path): \(sent.summary)") }
            }

            try await expectAll(player.play(url), frames)
            let second = try await origin.log().since(first)
            #expect(second.bodyBytes == 0, "\(second.summary)")
            try await server.stop()
        }

        /// All players follow a sliding window concurrently to its end without a lost or wrong frame, and the origin
        /// sends each segment once.
        @Test func playersFollowLiveWindow() async throws {
            let encoder = try await LiveEncoder(seconds: 20)
            let origin = try await NginxOrigin(serving: encoder.folder.path)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(LiveEncoder.window))
            let playbacks = try await withThrowingTaskGroup(of: (StreamPlayer, StreamPlayer.Playback).self) { group in
                for player in try StreamPlayer.installed() {
                    group.addTask { (player, try await player.play(url, isLive: true)) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            try await encoder.end()
            let log = try await origin.log()
            for (path, entries) in Dictionary(grouping: log.entries, by: \.path) where path.hasSuffix(".ts") {
                #expect(entries.count == 1, "\(path): \(log.of(String(path.dropFirst())).summary)")
            }
            let whole = try await StreamPlayer.ffmpeg.play(origin.url(LiveEncoder.whole)).sums()
            // Players join the window at its start or three segments before its end.
            for (player, playback) in playbacks {
                print("live window: \(player) showed \(playback.videoFrames) of \(whole.count) frames")
                #expect(playback.hasAudio, "\(player)")
                // A browser drops frames that it can't draw in time.
                let minimum = player == .chromium ? 50 : 180
                #expect(minimum...whole.count ~= playback.videoFrames, "\(player): \(playback.videoFrames) frames")
                let seen = playback.sums()
                if player.reportsFrames { #expect(seen == whole.suffix(seen.count), "\(player)") }
            }
            try await server.stop()
        }

        private func expectAll(_ playback: StreamPlayer.Playback, _ frames: [DecodedFrame]) throws {
            #expect(playback.hasAudio)
            #expect(playback.frames == frames)
            // VLC and Chromium drop a few frames at the start or end.
            let minimum = frames.isEmpty ? StreamFixtures.videoFrames * 9 / 10 : StreamFixtures.videoFrames
            #expect(minimum...StreamFixtures.videoFrames ~= playback.videoFrames, "\(playback.videoFrames) frames")
        }
    }
}
