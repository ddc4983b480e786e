import Foundation
import Synchronization
import TestSupport
import Testing

extension AcceptanceTests {
    /// Tests of kill -9 of a server with complete downloads whose origin has changed.
    @Suite(.timeLimit(.minutes(2)))
    struct PinKillTests {
        private final class Flag: Sendable {
            private let state = Mutex(false)

            var isSet: Bool { state.withLock(\.self) }

            func set() { state.withLock { $0 = true } }
        }

        enum Change: String, CaseIterable, Sendable {
            case anotherValidator, alternatingValidators, notFound, shorterFile
            /// A new version that can be fetched completely, and then replaces the pinned one.
            case replacement
        }

        private struct Version: Sendable {
            var tag: String
            var body: Data

            init(_ tag: String, seed: Int, length: Int) {
                self.tag = tag
                body = Data(ShapedOrigin.bytes(seed: seed, 0..<length))
            }

            /// Returns the response to a request. Unless the version can be fetched completely, requests for its last
            /// bytes, and requests without a closed range, fail with 503.
            func response(to request: ScriptedOrigin.Request, isComplete: Bool) -> ScriptedOrigin.Response {
                if request.fields["if-none-match"] == tag { return .init(status: 304, fields: ["ETag": tag]) }
                let last = request.fields["range"]?.wholeMatch(of: #/bytes=\d+-(\d+)/#).flatMap { Int($0.1) }
                guard isComplete || last.map({ $0 < body.count - PinKillTests.missing }) ?? false else {
                    return .init(status: 503)
                }
                return .init(fields: ["ETag": tag, "Content-Type": "video/mp4"], body: body)
            }
        }

        /// An origin of several files that all change version at the same time.
        private final class Origin: Sendable {
            private final class Shown: Sendable {
                let change = Mutex(Change?.none)
            }

            let server: ScriptedOrigin
            private let shown = Shown()

            init() throws {
                let shown = shown
                server = try ScriptedOrigin { request in
                    let change = shown.change.withLock(\.self)
                    let file = Int(request.path.dropFirst().prefix { $0 != "." }) ?? 0
                    let versions = PinKillTests.versions[file]
                    return switch change {
                    case nil: versions.pinned.response(to: request, isComplete: true)
                    case .anotherValidator: versions.other.response(to: request, isComplete: false)
                    case .alternatingValidators where request.number.isMultiple(of: 2):
                        versions.pinned.response(to: request, isComplete: true)
                    case .alternatingValidators: versions.other.response(to: request, isComplete: false)
                    case .notFound: .init(status: 404)
                    case .shorterFile: versions.shorter.response(to: request, isComplete: false)
                    case .replacement: versions.other.response(to: request, isComplete: true)
                    }
                }
            }

            func show(_ change: Change) { shown.change.withLock { $0 = change } }
        }

        private static let length = 16 << 20
        /// The number of unavailable bytes at the end of a version that can't be fetched completely.
        private static let missing = 64 << 10
        /// The length of the part of each file that is read, short enough that read-ahead doesn't reach the unavailable
        /// bytes.
        private static let readLength = 4 << 20
        private static let versions = (0..<2).map { file in
            (
                pinned: Version("\"1\"", seed: 100 + file, length: length),
                other: Version("\"2\"", seed: 200 + file, length: length),
                shorter: Version("\"3\"", seed: 300 + file, length: 14 << 20)
            )
        }

        private let origin: Origin
        private let folder: TemporaryFolder

        init() throws {
            origin = try Origin()
            folder = try TemporaryFolder("cache")
        }

        @Test(arguments: Change.allCases)
        func pinnedBytesSurviveKills(_ change: Change) async throws {
            var random = SeededGenerator.forTest("kills of pinned files, \(change)")
            var server = try await RunningServer(cache: folder.path)
            let token = try await server.playbackToken()
            let ids = try await download(server, try await server.key())
            origin.show(change)
            for _ in 0..<(TestSettings.isSoak ? 40 : 4) {
                let instant = Duration.milliseconds(Int.random(in: 10...700, using: &random))
                try await playAndKill(server, token, change, after: instant, seed: random.next())
                server = try await RunningServer(cache: folder.path)
                try await expectPinnedBytes(of: ids, on: server, change)
            }
            try await server.stop()
            let (ending, verification) = try await Verification.run(in: folder.path)
            #expect(ending == .exit(0))
            #expect(verification.findings.isEmpty, "\(verification.findings)")
        }

        /// Downloads all files, and returns the IDs of their assets.
        private func download(_ server: RunningServer, _ key: String) async throws -> [String] {
            var ids: [String] = []
            for file in Self.versions.indices {
                let url = origin.server.url("\(file).mp4")
                let (status, body) = try server.call(
                    "POST", "/api/v1/downloads", key: key, #"{"url":"\#(url)"}"#)
                guard status < 300 else { throw HarnessError("\(status): \(String(decoding: body, as: UTF8.self))") }
                ids.append(try JSONDecoder().decode(ListedDownload.self, from: body).id)
            }
            try await eventually("all files are downloaded", within: .seconds(60), every: .milliseconds(50)) {
                try ListedDownload.all(of: server, key: key).allSatisfy { $0.state == "complete" } ? () : nil
            }
            return ids
        }

        /// Reads all files concurrently through a server and kills it meanwhile. Checks that each response contains
        /// bytes of one version only.
        private func playAndKill(
            _ server: RunningServer, _ token: String, _ change: Change, after instant: Duration, seed: UInt64
        ) async throws {
            let killed = Flag()
            let length = change == .replacement ? Self.length : Self.readLength
            try await withThrowingTaskGroup(of: Void.self) { group in
                for file in Self.versions.indices {
                    let target = "\(origin.server.url("\(file).mp4"))".dropFirst("http://".count)
                    let url = try #require(URL(string: "\(server.base)/play/\(token)/http/\(target)"))
                    group.addTask {
                        try await onThread {
                            var random = SeededGenerator(seed: seed &+ UInt64(file))
                            while !killed.isSet {
                                let start = Int.random(in: 0..<length, using: &random)
                                let range = start..<min(length, start + 2 << 20)
                                guard let body = try? Self.read(range, of: url) else { continue }
                                let versions = Self.versions[file]
                                #expect(
                                    [versions.pinned, versions.other, versions.shorter].contains {
                                        body == $0.body.dropFirst(range.lowerBound).prefix(range.count)
                                    }, "\(range) of file \(file) matches no version")
                            }
                        }
                    }
                }
                try await Task.sleep(for: instant)
                server.kill()
                killed.set()
                try await group.waitForAll()
            }
            try await server.process.end(within: .seconds(10))
        }

        /// Reads a range. Returns nil if the server refuses it because of the origin's failure.
        private static func read(_ range: Range<Int>, of url: URL) throws -> Data? {
            let (status, body) = try HTTPConnection.get(url, range: range)
            return status == 206 ? body : nil
        }

        private func expectPinnedBytes(of ids: [String], on server: RunningServer, _ change: Change) async throws {
            for (file, id) in ids.enumerated() {
                let url = try #require(URL(string: "\(server.base)/library/\(id)/"))
                let (status, body) = try await onThread { try HTTPConnection.get(url) }
                let isPinned = body == Self.versions[file].pinned.body
                let isReplaced = change == .replacement && body == Self.versions[file].other.body
                #expect(status == 200 && (isPinned || isReplaced), "file \(file): \(status), \(body.count) bytes")
            }
        }
    }
}
