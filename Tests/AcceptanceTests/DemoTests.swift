import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of the demo's API as its page uses it.
    @Suite struct DemoTests {
        private struct State: Decodable {
            var clipLength: Int
            var clipURL: String
            var originBytesSent: Int
        }

        private struct Link: Decodable { var playURL: String }

        @Test func playsClipFromCacheAfterRestart() async throws {
            let folder = try TemporaryFolder("cache")
            let command = ["demo", "--origin-port", "\(try FreePort.next())"]
            var clips: [Data] = []
            for start in 1...2 {
                let demo = try await RunningServer(cache: folder.path, command: command)
                let connection = try HTTPConnection(to: demo.base)
                let head = try connection.request(demo.base.appending(path: "demo"))
                let page = String(decoding: try connection.body(), as: UTF8.self)
                #expect(head.status == 200)
                #expect(head.fields["content-type"]?.hasPrefix("text/html") == true)
                #expect(page.contains("<video"))

                let state = try await Self.state(of: demo)
                #expect(state.originBytesSent == 0)
                clips.append(try await Self.clip(of: demo, state))
                #expect(clips.last?.count == state.clipLength)
                let sent = try await Self.state(of: demo).originBytesSent
                #expect(start == 1 ? sent == state.clipLength : sent == 0, "start \(start): \(sent) bytes")
                try await demo.stop()
            }
            #expect(clips.count == 2)
            #expect(clips.first == clips.last)
        }

        /// The store of an exposed server contacts only public addresses, except the demo's origin.
        @Test(arguments: [false, true])
        func playsClipIfExposed(byConfiguration: Bool) async throws {
            let folder = try TemporaryFolder("cache")
            let file = folder.file("config.json")
            try Data(#"{"publicPath": "/tv", "allowedHost": ["tv.example.org"]}"#.utf8)
                .write(to: URL(fileURLWithPath: file))
            let demo = try await RunningServer(
                cache: folder.file("cache"),
                command: ["demo", "--origin-port", "0", "--rate", "100MB/s"]
                    + (byConfiguration ? ["--config", file] : ["--host", "0.0.0.0"]))
            let state = try await Self.state(of: demo)
            #expect(try await Self.clip(of: demo, state).count == state.clipLength)
            try await demo.stop()
        }

        /// The folder can contain the user's downloads.
        @Test func resetRemovesOnlyClip() async throws {
            let folder = try TemporaryFolder("cache")
            let film = try ScriptedOrigin { _ in
                .init(fields: ["Content-Type": "video/mp4", "ETag": "\"1\""], body: Data(repeating: 7, count: 5000))
            }
            let url = film.url("film.mp4").absoluteString
            try await MediaCacheBinary.output(["get", url, "--min-free", "0", "--cache", folder.path])
            let command = ["demo", "--origin-port", "\(try FreePort.next())", "--rate", "100MB/s"]
            var clips: [String] = []
            for options in [[], ["--reset"]] {
                let demo = try await RunningServer(cache: folder.path, command: command + options)
                let state = try await Self.state(of: demo)
                clips.append(state.clipURL)
                let listed = try await ListedResource.all(in: folder.path)
                #expect(listed.keys.sorted() == [url], "\(options)")
                if options.isEmpty { #expect(try await Self.clip(of: demo, state).count == state.clipLength) }
                try await demo.stop()
            }
            #expect(Set(clips).count == 1)
            #expect(try await MediaCacheBinary.output(["info", url, "--cache", folder.path]).contains("100%"))
        }

        private static func clip(of demo: RunningServer, _ state: State) async throws -> Data {
            let link = try JSONDecoder().decode(Link.self, from: await demo.api("/api/v1/urls?url=\(state.clipURL)"))
            guard let url = URL(string: link.playURL) else { throw HarnessError("no play URL: \(link.playURL)") }
            return try await onThread { try HTTPConnection.body(of: url) }
        }

        private static func state(of demo: RunningServer) async throws -> State {
            try JSONDecoder().decode(State.self, from: await demo.api("/demo/state"))
        }
    }
}
