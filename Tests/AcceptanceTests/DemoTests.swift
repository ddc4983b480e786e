import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of the demo's API as its page uses it.
    @Suite struct DemoTests {
        /// The state that the page requests four times per second.
        private struct State: Decodable {
            var clipLength: Int
            var clipURL: String
            var originBytesSent: Int
        }

        private struct Link: Decodable { var playURL: String }

        /// After a restart, the same clip plays from the cache.
        @Test func playsClipFromCacheAfterRestart() async throws {
            let folder = try TemporaryFolder("cache")
            var clips: [Data] = []
            for start in 1...2 {
                let demo = try await RunningServer(cache: folder.path, command: ["demo"])
                let connection = try HTTPConnection(to: demo.base)
                let head = try connection.request(demo.base.appending(path: "demo"))
                let page = String(decoding: try connection.body(), as: UTF8.self)
                #expect(head.status == 200)
                #expect(head.fields["content-type"]?.hasPrefix("text/html") == true)
                #expect(page.contains("<video"))

                let state = try await Self.state(of: demo)
                #expect(state.originBytesSent == 0)
                let link = try JSONDecoder().decode(
                    Link.self, from: await demo.api("/api/v1/urls?url=\(state.clipURL)"))
                guard let url = URL(string: link.playURL) else { throw HarnessError("no play URL: \(link.playURL)") }
                clips.append(
                    try await onThread {
                        let player = try HTTPConnection(to: url)
                        let head = try player.request(url)
                        guard head.status == 200 else { throw HarnessError("\(url): \(head.status)") }
                        return try player.body()
                    })
                #expect(clips.last?.count == state.clipLength)
                let sent = try await Self.state(of: demo).originBytesSent
                #expect(start == 1 ? sent == state.clipLength : sent == 0, "start \(start): \(sent) bytes")
                try await demo.stop()
            }
            #expect(clips.count == 2)
            #expect(clips.first == clips.last)
        }

        private static func state(of demo: RunningServer) async throws -> State {
            try JSONDecoder().decode(State.self, from: await demo.api("/demo/state"))
        }
    }
}
