import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests that recordings can be replayed after the cache's catalog has been deleted.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg")))
    struct CatalogLossTests {
        private static let kinds = [
            StreamKind.transportStream, .fragmentedMP4, .byteRanges, .encrypted, .separateAudio,
        ]

        private struct Contents: Equatable {
            var spans: [RecordedChannel.Span]
            var segments: Int
            var gaps: Int
            var bytes: Int64
            /// Playlists of the recording and of a window, and their resources, by path.
            var files: [String: Data] = [:]

            init(of channel: RecordedChannel) throws {
                let status = try channel.status()
                (spans, segments, gaps, bytes) = (status.recordedRanges, status.segments, status.gaps, status.bytes)
                let span = try #require(spans.first)
                let window = "begintime=\(span.from + 1500)&endtime=\(span.from + 3500)"
                for entry in ["all.m3u8", "index.m3u8?\(window)"] { try add(entry, of: channel) }
                for track in status.tracks {
                    try add("\(track)/all.m3u8", of: channel)
                    try add(channel.child(of: "index.m3u8?\(window)", track: track), of: channel)
                }
            }

            private mutating func add(_ path: String, of channel: RecordedChannel) throws {
                guard files[path] == nil else { return }
                let (status, body) = try channel.get(path)
                guard status == 200 else { throw HarnessError("\(channel.name)/\(path): \(status)") }
                files[path] = body
                guard path.contains("/"), path.contains(".m3u8") else { return }
                let text = String(decoding: body, as: UTF8.self)
                let names = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
                let attributes = text.matches(of: #/URI="([^"]+)"/#).map { String($0.1) }
                let folder = (path as NSString).deletingLastPathComponent
                for name in Set(names + attributes) { try add("\(folder)/\(name)", of: channel) }
            }
        }

        @Test func replaysRecordingsWithoutCatalog() async throws {
            try await StreamFixtures.shared.make()
            let origin = try await NginxOrigin(serving: StreamFixtures.folder)
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            var before: [String: Contents] = [:]
            var channels: [RecordedChannel] = []
            for kind in Self.kinds {
                channels.append(try await RecordedChannel(kind.name, of: origin.url("\(kind.name).m3u8"), on: server))
            }
            for channel in channels {
                try await eventually("\(channel.name) has ended", within: .seconds(60)) {
                    try channel.status().state == "ended" ? () : nil
                }
                let contents = try Contents(of: channel)
                #expect(contents.segments >= 6 && contents.gaps == 0, "\(channel.name)")
                before[channel.name] = contents
            }
            try await server.stop()
            let requests = try await origin.log().entries.count
            for name in try FileManager.default.contentsOfDirectory(atPath: cache.path)
            where name.hasPrefix("catalog.sqlite") {
                try FileManager.default.removeItem(atPath: cache.file(name))
            }
            let next = try await RunningServer(cache: cache.path)
            for kind in Self.kinds {
                let contents = try Contents(of: try await RecordedChannel(kind.name, on: next))
                let expected = try #require(before[kind.name])
                #expect(contents.spans == expected.spans && contents.segments == expected.segments, "\(kind)")
                #expect(contents.gaps == 0 && contents.bytes == expected.bytes, "\(kind)")
                #expect(contents.files.keys.sorted() == expected.files.keys.sorted(), "\(kind)")
                let changed = contents.files.filter { expected.files[$0.key] != $0.value }.keys.sorted()
                #expect(changed == [], "\(kind)")
            }
            try await next.stop()
            #expect(try await origin.log().entries.count == requests, "the origin received another request")
        }
    }
}
