import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of HLS streams of many encoders, read through the server. All packets match the known ones, and each file
    /// is requested once.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffprobe") && Prerequisite.hasCorpora()))
    struct StreamPlaybackTests {
        @Test func mediaPlaylistsHaveKnownPacketsWithAndWithoutOrigin() async throws {
            let expected = try StreamCorpus.packets()
            #expect(expected.count >= 24)
            try await play(expected)
        }

        @Test func multivariantPlaylistsHavePacketsOfOrigin() async throws {
            let playlists = try StreamCorpus.multivariantPlaylists()
            #expect(playlists.count >= 6)
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            try await play(try await Self.packets(of: playlists) { origin.url($0) })
        }

        /// Plays all streams with one request per file, then again with a restarted server and no origin.
        private func play(_ expected: [String: [StreamPackets]]) async throws {
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let playlists = expected.keys.sorted()
            let base = try await server.play(origin.url(""))
            let first = try await Self.packets(of: playlists) { base.appending(path: $0) }
            for playlist in playlists { #expect(first[playlist] == expected[playlist], "\(playlist)") }

            let log = try await origin.log()
            let requests = Dictionary(grouping: log.entries, by: \.path)
            for playlist in playlists { #expect(requests["/\(playlist)"] != nil, "\(playlist) wasn't requested") }
            for (path, entries) in requests {
                // Segments that the origin lacks (the gaps of hls-gap) aren't cached as missing, because they may
                // become available. Players request them repeatedly.
                guard StreamCorpus.has(path) else {
                    #expect(entries.allSatisfy { $0.status == 404 }, "\(path)")
                    continue
                }
                #expect(entries.count == 1, "\(path): \(entries.map { "\($0.status) \($0.bodyBytes)" })")
            }
            try await server.stop()

            origin.stop()
            let next = try await RunningServer(cache: folder.path)
            let nextBase = try await next.play(origin.url(""))
            let second = try await Self.packets(of: playlists) { nextBase.appending(path: $0) }
            for playlist in playlists { #expect(second[playlist] == expected[playlist], "\(playlist), no origin") }
            try await next.stop()
        }

        private static func packets(
            of playlists: [String],
            at url: @escaping @Sendable (String) -> URL
        ) async throws -> [String: [StreamPackets]] {
            try await withThrowingTaskGroup(of: (String, [StreamPackets]).self) { group in
                for playlist in playlists {
                    group.addTask { (playlist, try await StreamPackets.read(from: url(playlist))) }
                }
                return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
    }
}
