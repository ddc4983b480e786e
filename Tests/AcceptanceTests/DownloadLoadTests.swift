import Foundation
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of many concurrent downloads from a slow origin, with and without interruptions. MEDIACACHE_SOAK=1 selects
    /// the full load.
    struct DownloadLoadTests {
        private struct Load: Sendable {
            var streams: Int
            var segments: Int
            var segmentLength: Int
            var files: Int
            var fileLength: Int
            var shape: ShapedOrigin.Shape

            static let chosen =
                TestSettings.isSoak
                ? Load(
                    streams: 20, segments: 150, segmentLength: 100_000, files: 5, fileLength: 200_000_000,
                    shape: ShapedOrigin.Shape())
                : Load(
                    streams: 6, segments: 30, segmentLength: 60_000, files: 2, fileLength: 12_000_000,
                    shape: ShapedOrigin.Shape(delay: .milliseconds(10), connectionRate: 8 << 20))

            /// Large files over a slow link, so that the bytes lost by a kill are a small part of the load.
            static let forKills =
                TestSettings.isSoak
                ? Load(
                    streams: 0, segments: 0, segmentLength: 0, files: 4, fileLength: 400 << 20,
                    shape: ShapedOrigin.Shape(delay: .milliseconds(10), connectionRate: nil, linkRate: 16 << 20))
                : Load(
                    streams: 0, segments: 0, segmentLength: 0, files: 4, fileLength: 64 << 20,
                    shape: ShapedOrigin.Shape(delay: .milliseconds(10), connectionRate: nil, linkRate: 16 << 20))

            var resources: [String: ShapedOrigin.Resource] {
                var resources: [String: ShapedOrigin.Resource] = [:]
                for stream in 0..<streams {
                    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n"
                    for segment in 0..<segments {
                        resources["stream\(stream)/\(segment).ts"] = .bytes(
                            seed: stream * 1000 + segment, length: segmentLength)
                        text += "#EXTINF:6,\n\(segment).ts\n"
                    }
                    resources["stream\(stream)/index.m3u8"] = .text(text + "#EXT-X-ENDLIST\n")
                }
                for file in 0..<files {
                    resources["file\(file)/film.mp4"] = .bytes(seed: 500_000 + file, length: fileLength)
                }
                return resources
            }

            var entries: [String] {
                (0..<streams).map { "stream\($0)/index.m3u8" } + (0..<files).map { "file\($0)/film.mp4" }
            }

            var length: Int { streams * segments * segmentLength + files * fileLength }
        }

        private static let transfersPerAsset = 4
        private static let assets = 4

        private let load: Load
        private let origin: ShapedOrigin
        private let folder: TemporaryFolder

        init() throws { try self.init(Load.chosen) }

        private init(_ load: Load) throws {
            self.load = load
            origin = try ShapedOrigin(load.shape, load.resources)
            folder = try TemporaryFolder("cache")
        }

        private func serve() async throws -> (RunningServer, key: String) {
            let server = try await RunningServer(cache: folder.path)
            return (server, try await server.key())
        }

        private func add(_ server: RunningServer, _ key: String) throws {
            for entry in load.entries {
                let (status, body) = try server.call(
                    "POST", "/api/v1/downloads", key: key, #"{"url":"\#(origin.url(entry))"}"#)
                guard status < 300 else {
                    throw HarnessError(
                        "the download of \(entry) can't be added: \(status), \(String(decoding: body, as: UTF8.self))")
                }
            }
        }

        private func setLimits(_ server: RunningServer, _ key: String) throws {
            let (status, body) = try server.call(
                "PATCH", "/api/v1/settings/downloads", key: key,
                #"{"limits":{"assets":\#(Self.assets),"transfersPerAsset":\#(Self.transfersPerAsset)}}"#)
            #expect(status == 200, "\(String(decoding: body, as: UTF8.self))")
        }

        private func allComplete(_ server: RunningServer, _ key: String, within limit: Duration) async throws {
            try await eventually("all downloads are complete", within: limit, every: .milliseconds(200)) {
                let downloads = try ListedDownload.all(of: server, key: key)
                return downloads.count == load.entries.count && downloads.allSatisfy { $0.state == "complete" }
                    ? () : nil
            }
        }

        /// Compares all cached bytes with the origin's. Reads playback URLs, and checks that this sends no request to
        /// the origin.
        private func readBack(_ server: RunningServer) async throws {
            let token = try await server.playbackToken()
            let before = origin.record.requests
            let resources = load.resources
            try await onThread {
                for (path, resource) in resources {
                    guard case .bytes(let seed, let length) = resource else { continue }
                    let target = origin.url(path).dropFirst("http://".count)
                    guard let url = URL(string: "\(server.base)/play/\(token);cached=1/http/\(target)") else {
                        continue
                    }
                    let connection = try HTTPConnection(to: url)
                    #expect(try connection.request(url).status == 200, "\(path)")
                    var position = 0
                    while position < length {
                        let count = min(length - position, 1 << 20)
                        let body = try connection.body(limit: count)
                        #expect([UInt8](body) == ShapedOrigin.bytes(seed: seed, position..<position + count), "\(path)")
                        position += count
                    }
                }
            }
            #expect(origin.record.requests == before)
        }

        /// Waits until no response is running and no new request arrives. Requests sent before a pause may reach the
        /// origin after it.
        private func settled() async throws {
            var previous = -1
            try await eventually("a pause ends all requests", within: .seconds(30), every: .milliseconds(150)) {
                let record = origin.record
                let count = record.requests.values.reduce(0, +)
                defer { previous = count }
                return record.running == 0 && count == previous ? () : nil
            }
        }

        @Test func concurrentDownloadsRespectLimitsAndRequestEachRangeOnce() async throws {
            let (server, key) = try await serve()
            try setLimits(server, key)
            try add(server, key)
            try await allComplete(server, key, within: .seconds(TestSettings.isSoak ? 600 : 60))
            let record = origin.record
            #expect(record.peakOfAsset <= Self.transfersPerAsset)
            #expect(record.peak <= Self.transfersPerAsset * Self.assets)
            #expect(record.running == 0)
            let twice = record.requests.filter { $0.value > 1 }
            #expect(twice.isEmpty, "\(twice)")
            try await readBack(server)
            try await server.stop()
        }

        @Test func downloadsCompleteDespiteRandomAPICallsAndKills() async throws {
            var random = SeededGenerator.forTest("calls and kills")
            let kills = TestSettings.isSoak ? 50 : 4
            let calls = TestSettings.isSoak ? 1000 : 120
            var (server, key) = try await serve()
            try setLimits(server, key)
            try add(server, key)
            for round in 0..<kills {
                for _ in 0..<calls / kills {
                    let downloads = try ListedDownload.all(of: server, key: key)
                    guard let one = downloads.randomElement(using: &random) else { break }
                    let path = "/api/v1/downloads/\(one.id)"
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0...2: _ = try server.call("PATCH", path, key: key, #"{"state":"paused"}"#)
                    case 3...5: _ = try server.call("PATCH", path, key: key, #"{"state":"running"}"#)
                    case 6:
                        _ = try server.call(
                            "PATCH", path, key: key, #"{"priority":\#(Int.random(in: -2...2, using: &random))}"#)
                    case 7: _ = try server.call("POST", "/api/v1/downloads/pause", key: key)
                    case 8: _ = try server.call("POST", "/api/v1/downloads/resume", key: key)
                    default:
                        let keep = Bool.random(using: &random) ? "?keepData=1" : ""
                        _ = try server.call("DELETE", path + keep, key: key)
                    }
                }
                _ = try server.call("POST", "/api/v1/downloads/pause", key: key)
                try await settled()
                try add(server, key)
                _ = try server.call("POST", "/api/v1/downloads/resume", key: key)
                try await Task.sleep(for: .milliseconds(Int.random(in: 50...800, using: &random)))
                let committed = try ListedDownload.all(of: server, key: key).reduce(0) { $0 + $1.bytes }
                server.kill()
                _ = try await server.process.end(within: .seconds(10))
                (server, key) = try await serve()
                let now = try ListedDownload.all(of: server, key: key).reduce(0) { $0 + $1.bytes }
                print("kill \(round): \(committed) bytes before, \(now) after")
            }
            // The origin counts responses of killed and cancelled transfers until it notices the closed connections.
            _ = try server.call("POST", "/api/v1/downloads/pause", key: key)
            try await settled()
            origin.reset()
            try add(server, key)
            _ = try server.call("POST", "/api/v1/downloads/resume", key: key)
            try await allComplete(server, key, within: .seconds(TestSettings.isSoak ? 1200 : 120))
            #expect(origin.record.running == 0)
            #expect(origin.record.peakOfAsset <= Self.transfersPerAsset)
            try await readBack(server)
            let (ending, verification) = try await {
                try await server.stop()
                return try await Verification.run(in: folder.path)
            }()
            #expect(ending == .exit(0))
            #expect(verification.findings.isEmpty)
        }

        @Test func killLosesOnlyUncommittedBytes() async throws {
            try await Self(Load.forKills).killRepeatedly(TestSettings.isSoak ? 12 : 2)
        }

        /// The maximum number of uncommitted bytes at a kill: bytes received since the last commit, received during a
        /// commit, or in socket buffers.
        private static let maximumUncommitted = 12 << 20

        private func killRepeatedly(_ kills: Int) async throws {
            var random = SeededGenerator.forTest("kills")
            #expect(kills * Self.maximumUncommitted * 10 <= load.length)
            var allowance = 0
            var sentBefore = 0
            var (server, key) = try await serve()
            try setLimits(server, key)
            try add(server, key)
            for kill in 0..<kills {
                // A random point in this round's part of the transfer, so that bytes are in flight at each kill.
                let part = load.length / (kills + 1)
                let moment = (kill + 1) * part + Int.random(in: -part / 4..<part / 4, using: &random)
                // Waits for a commit, so that the allowance doesn't depend on the load of the machine.
                let committed = try await eventually(
                    "\(moment) bytes were sent and committed", within: .seconds(600), every: .milliseconds(1)
                ) {
                    let sent = origin.record.bytes
                    guard sent >= moment else { return Int?.none }
                    let committed = Int(try server.metric("mediacache_committed_bytes_total"))
                    return sent - sentBefore - committed <= Self.maximumUncommitted ? committed : nil
                }
                #expect(origin.record.running > 0)
                server.kill()
                _ = try await server.process.end(within: .seconds(10))
                try await eventually("the connections have ended") { origin.record.running == 0 ? () : nil }
                let sent = origin.record.bytes
                allowance += sent - sentBefore - committed
                sentBefore = sent
                (server, key) = try await serve()
            }
            try await allComplete(server, key, within: .seconds(TestSettings.isSoak ? 1200 : 240))
            let lost = origin.record.bytes - load.length
            print("\(kills) kills lost \(lost) of \(load.length) bytes")
            #expect(lost <= allowance, "\(kills) kills lost \(lost) of \(load.length) bytes, not \(allowance)")
            #expect(lost > 0)
            try await readBack(server)
            try await server.stop()
        }
    }
}
