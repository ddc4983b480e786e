import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of SIGHUP to `serve`, as sent by `systemctl reload`.
    struct HangUpTests {
        private struct Channel: Decodable {
            struct Limits: Decodable { var seconds: Double? }

            var name: String
            var retention: Limits
        }

        private let folder: TemporaryFolder
        private let file: String
        /// An address without a listener, so that the channels keep waiting.
        private let origin: String
        private let refusing: RefusingPort

        init() throws {
            folder = try TemporaryFolder("reload")
            file = folder.file("mediacache.json")
            refusing = try RefusingPort()
            origin = "http://127.0.0.1:\(refusing.number)"
        }

        private func configure(_ text: String) throws {
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }

        private func start() async throws -> RunningServer {
            try await RunningServer(
                cache: folder.file("cache"), command: ["serve", "--min-free", "0", "--config", file])
        }

        private static func channels(_ server: RunningServer) async throws -> [Channel] {
            struct List: Decodable { var channels: [Channel] }
            return try JSONDecoder().decode(List.self, from: try await server.api("/api/v1/channels")).channels
        }

        /// Sends the signal, and waits until the log contains a text once more. Returns the new lines of the log.
        private static func hangUp(_ server: RunningServer, until words: String) async throws -> String {
            let before = server.process.errorText
            server.process.signal(SIGHUP)
            return try await eventually("the log contains “\(words)”", within: .seconds(60)) {
                let new = server.process.errorText.dropFirst(before.count)
                if let ending = server.process.ending { throw HarnessError("serve: \(ending): \(new)") }
                return new.contains(words) && new.hasSuffix("\n") ? String(new) : nil
            }
        }

        @Test func appliesChangedChannelsAndLimits() async throws {
            try configure(#"{"channels": [{"name": "news", "url": "\#(origin)/a.m3u8"}], "logLevel": "error"}"#)
            let server = try await start()
            #expect(try await Self.channels(server).map(\.name) == ["news"])

            try configure(
                #"""
                {"channels": [{"name": "news", "url": "\#(origin)/a.m3u8", "keep": "2h"},
                              {"name": "sport", "url": "\#(origin)/b.m3u8"}], "logLevel": "notice", "maxSize": "1GB",
                 "maxObjectSize": "1MB"}
                """#)
            // The message is below the previous level, so it shows that the new level applies.
            let log = try await Self.hangUp(server, until: "configuration reloaded")
            #expect(log.contains("notice") && log.contains("settings=2") && log.contains("channels=2"), "\(log)")
            let settings = String(decoding: try await server.api("/api/v1/settings/cache"), as: UTF8.self)
            #expect(settings.contains(#""maximumBytes":1000000000"#), "\(settings)")
            // The log names settings that require a restart.
            #expect(log.contains("changed settings need a restart") && log.contains("settings=maxObjectSize"), "\(log)")
            let channels = try await Self.channels(server)
            #expect(channels.map(\.name) == ["news", "sport"])
            #expect(channels.map(\.retention.seconds) == [7200, nil])

            // A channel that is no longer declared continues. The log contains the command that ends it.
            try configure(#"{"channels": [{"name": "sport", "url": "\#(origin)/b.m3u8"}], "logLevel": "notice"}"#)
            let next = try await Self.hangUp(server, until: "configuration reloaded")
            #expect(next.contains("channel=news") && next.contains("channels remove"), "\(next)")
            #expect(try await Self.channels(server).map(\.name) == ["news", "sport"])

            // A higher level applies too: from now on only errors are logged.
            try configure(#"{"channels": [{"name": "film", "url": "\#(origin)/c.m3u8"}], "logLevel": "error"}"#)
            let quiet = server.process.errorText
            server.process.signal(SIGHUP)
            try await eventually("the channel exists", within: .seconds(60)) {
                try await Self.channels(server).contains { $0.name == "film" } ? () : nil
            }
            #expect(server.process.errorText == quiet)
            try await server.stop()
        }

        @Test(arguments: [
            (
                #"{"channels": [{"name": "news", "url": "http://127.0.0.1:1/x"}], "logLevel": "debug""#,
                "the file isn't JSON"
            ),
            (#"{"logLevl": "debug"}"#, "logLevl"),
            (#"{"logLevel": "loud"}"#, "loud"),
            (#"{"channels": [{"name": "sport", "url": "http://127.0.0.1:1/b"}, {"name": "late"}]}"#, "channels[1]"),
            (#"{"logLevel": "debug", "maxSize": "much"}"#, "much"),
            (nil, "can't be read"),
        ])
        func invalidFileChangesNoSettings(_ text: String?, _ reason: String) async throws {
            try configure(#"{"channels": [{"name": "news", "url": "\#(origin)/a.m3u8", "keep": "1h"}]}"#)
            let server = try await start()
            if let text { try configure(text) } else { try FileManager.default.removeItem(atPath: file) }
            let log = try await Self.hangUp(server, until: "nothing was changed")
            #expect(log.contains(file) && log.contains(reason), "\(log)")
            #expect(log.contains("error mediacache") || log.contains(" error "), "\(log)")
            let channels = try await Self.channels(server)
            #expect(channels.map(\.name) == ["news"] && channels.first?.retention.seconds == 3600)

            // The server still handles the signal, and applies a corrected file.
            try configure(
                #"{"channels": [{"name": "news", "url": "\#(origin)/a.m3u8", "keep": "3h"}], "logLevel": "notice"}"#)
            _ = try await Self.hangUp(server, until: "configuration reloaded")
            #expect(try await Self.channels(server).first?.retention.seconds == 10_800)
            try await server.stop()
        }

        @Test(.enabled(if: try Peer.isInstalled("nginx")))
        func reloadDoesNotInterruptResponse() async throws {
            let bytes = try await Fixtures.shared.random(Fixtures.medium)
            let nginx = try await NginxOrigin(serving: Fixtures.folder)
            try configure("{}")
            let server = try await start()
            let url = try await server.play(nginx.url(Fixtures.medium))
            let connection = try HTTPConnection(to: url)
            let head = try connection.request(url)
            #expect(head.status == 200)
            try configure(#"{"logLevel": "notice"}"#)
            _ = try await Self.hangUp(server, until: "configuration reloaded")
            #expect(try connection.firstDifference(from: bytes, at: 0) == nil)
            try await server.stop()
        }
    }
}
