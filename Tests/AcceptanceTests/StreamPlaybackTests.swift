import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// HLS streams of many makers, read through the server: packet by packet what is known of them, from one request
    /// for each file.
    @Suite(.enabled(if: try Peer.present("nginx", "ffprobe") && Prerequisite.hasCorpora()))
    struct StreamPlaybackTests {
        @Test func mediaPlaylistsGiveTheKnownPacketsWithAndWithoutTheOrigin() async throws {
            let expected = try StreamCorpus.packets()
            #expect(expected.count >= 24)
            try await play(expected)
        }

        /// Through the server as from the origin itself.
        @Test func multivariantPlaylistsGiveTheOriginsPackets() async throws {
            let playlists = try StreamCorpus.multivariantPlaylists()
            #expect(playlists.count >= 6)
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            try await play(try await Self.packets(of: playlists) { origin.url($0) })
        }

        /// Plays all once, each file being asked of the origin once; then again from a server that was started anew,
        /// the origin being gone.
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
            for playlist in playlists { #expect(requests["/\(playlist)"] != nil, "\(playlist) wasn't asked for") }
            for (path, entries) in requests {
                // What the origin hasn't (the segments that hls-gap marks as gaps) isn't kept, so that it's there when
                // it comes; players ask for it again and again.
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

        /// What is read of each, all at the same time.
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
