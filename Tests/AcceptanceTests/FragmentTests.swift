import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of HLS streams of many encoders as fragmented MP4, read through the server by ffprobe.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffprobe") && Prerequisite.hasCorpora()))
    struct FragmentTests {
        /// The properties of `media.json` that the tests need.
        private struct Tracks: Decodable {
            struct Track: Decodable {
                var kind: String
                var segments: String
                var fragments: String?
            }

            var tracks: [Track]
        }

        /// The properties of `segments.json` that the tests need.
        private struct Segments: Decodable {
            struct Segment: Decodable {
                var number: Int
                var isGap: Bool
            }

            var segments: [Segment]
        }

        /// No packet is lost at the ends of segments, although each segment is converted on its own.
        @Test func fragmentsHaveKnownPackets() async throws {
            let origin = try await NginxOrigin(serving: StreamCorpus.root)
            let folder = try TemporaryFolder("cache")
            let fragments = try TemporaryFolder("fragments")
            let server = try await RunningServer(cache: folder.path)
            let token = try await server.playbackToken()
            let expected = try StreamCorpus.packets()
            #expect(expected.count >= 24)
            for playlist in expected.keys.sorted() {
                let media = (expected[playlist] ?? []).filter { $0.type == "video" || $0.type == "audio" }
                guard !media.isEmpty else { continue }
                let play = try await server.play(origin.url(playlist)).absoluteString
                let url = play.replacing("/play/\(token)/", with: "/play/\(token);fragments=media.json/")
                let counts = try await Self.packetCounts(of: url, server, fragments.file("fragment.mp4"))
                #expect(counts == Dictionary(media.map { ($0.type, $0.count) }, uniquingKeysWith: +), "\(playlist)")
            }
            try await server.stop()
        }

        private static func packetCounts(
            of media: String, _ server: RunningServer, _ file: String
        ) async throws -> [String: Int] {
            let tracks = try JSONDecoder().decode(Tracks.self, from: try body(of: media, server))
            var counts: [String: Int] = [:]
            for track in tracks.tracks {
                guard let template = track.fragments else { continue }
                let rows = try body(of: track.segments.replacing("{query}", with: ""), server)
                for segment in try JSONDecoder().decode(Segments.self, from: rows).segments where !segment.isGap {
                    try body(of: template.replacing("{segment}", with: "\(segment.number)"), server)
                        .write(to: URL(filePath: file))
                    for stream in try await ProbedStream.read(from: file) {
                        #expect(stream.type == track.kind)
                        counts[stream.type, default: 0] += stream.packets.count
                    }
                }
            }
            return counts
        }

        /// Returns the body of a URL, or of a path of the server.
        private static func body(of reference: String, _ server: RunningServer) throws -> Data {
            guard let url = URL(string: reference, relativeTo: server.base)?.absoluteURL else {
                throw HarnessError("invalid URL: \(reference)")
            }
            let (status, body) = try HTTPConnection.get(url)
            guard status == 200 else {
                throw HarnessError("\(reference): \(status) \(String(decoding: body, as: UTF8.self))")
            }
            return body
        }
    }
}
