import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of memory use with very long playlists.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct StreamScaleTests {
        enum Form: String, CaseIterable, Sendable {
            case absolute, rootRelative, relative, variable

            func prefix(_ origin: NginxOrigin) -> String {
                switch self {
                case .absolute: origin.url("video/").absoluteString
                case .rootRelative: "/video/"
                case .relative: ""
                case .variable: "{$b}"
                }
            }

            var isRewritten: Bool { self != .relative }
        }

        /// A rewritten and an unchanged form; all forms with MEDIACACHE_SOAK=1.
        private static let forms: [(Form, Bool)] =
            (TestSettings.isSoak ? Form.allCases : [.absolute]).map { ($0, true) } + [(.relative, false)]

        /// The peak memory grows by at most 6 times the size of the playlist, whatever the form of its URIs.
        @Test(arguments: forms)
        func memoryStaysLimitedFor100000Segments(_ form: Form, hasEnded: Bool) async throws {
            let segments = 100_000
            let folder = try TemporaryFolder("long")
            let origin = try await NginxOrigin(serving: folder.path)
            for (name, count) in [("short.m3u8", 100), ("long.m3u8", segments)] {
                try Self.playlist(count, form, hasEnded: hasEnded, origin)
                    .write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            }
            let cache = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: cache.path)
            let short = try await server.play(origin.url("short.m3u8"))
            for _ in 0..<20 { _ = try HTTPConnection.body(of: short) }
            let idle = try #require(server.peakResidentBytes)

            let long = try await server.play(origin.url("long.m3u8"))
            let start = ContinuousClock.now
            let body = try HTTPConnection.body(of: long)
            let time = ContinuousClock.now - start
            let afterOne = server.peakResidentBytes ?? 0
            let lines = String(decoding: body, as: UTF8.self).split(separator: "\n")
            #expect(lines.count { $0.hasSuffix(".ts") } == segments)
            #expect(lines.count { $0.hasPrefix("/play/") } == (form.isRewritten ? segments : 0))
            #expect((lines.last == "#EXT-X-ENDLIST") == hasEnded)
            for poll in 1...5 {
                if !hasEnded {
                    // An event playlist grows.
                    try Self.playlist(segments + poll, form, hasEnded: false, origin)
                        .write(toFile: folder.file("long.m3u8"), atomically: true, encoding: .utf8)
                }
                let again = try HTTPConnection.body(of: long)
                #expect(hasEnded ? again == body : again.starts(with: body) && again.count > body.count)
            }
            let peak = server.peakResidentBytes ?? 0
            let size = try FileManager.default.attributesOfItem(atPath: folder.file("long.m3u8"))[.size] as? Int ?? 0
            let once = Double(afterOne - idle) / Double(size)
            // The heap retains a few MiB of the memory freed from earlier versions of an event playlist, independently
            // of its length.
            let ratio = Double(peak - idle - (hasEnded ? 0 : 4 << 20)) / Double(size)
            print(
                "\(segments) segments, \(form) URIs, \(hasEnded ? "ended" : "event"): a playlist of \(size) bytes, sent as",
                "\(body.count) in \(time.milliseconds) ms; peak memory \(idle) idle, \(afterOne) after it (\(once) times its",
                "size), \(peak) after five more (\(ratio) times)")
            #expect(once <= 6)
            #expect(ratio <= 6)
            try await server.stop()
        }

        private static func playlist(
            _ segments: Int, _ form: Form, hasEnded: Bool, _ origin: NginxOrigin
        ) -> String {
            let prefix = form.prefix(origin)
            var text = "#EXTM3U\n#EXT-X-VERSION:8\n#EXT-X-TARGETDURATION:4\n"
            text += "#EXT-X-PLAYLIST-TYPE:\(hasEnded ? "VOD" : "EVENT")\n"
            if form == .variable { text += "#EXT-X-DEFINE:NAME=\"b\",VALUE=\"/video/\"\n" }
            for index in 0..<segments { text += "#EXTINF:4.0,\n\(prefix)segment\(index).ts\n" }
            return hasEnded ? text + "#EXT-X-ENDLIST\n" : text
        }
    }
}
