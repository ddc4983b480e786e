import Foundation
import Synchronization
import Testing

extension AcceptanceTests {
    /// Tests of readers that share a fill.
    @Suite(.enabled(if: try Peer.isInstalled("nginx")))
    struct SharingTests {
        @Test func readersShareOneFill() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 50 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            let readers = try await withThrowingTaskGroup(of: (Int, Int?).self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await onThread {
                            let connection = try HTTPConnection(to: url)
                            let head = try connection.request(url)
                            return (head.contentLength, try connection.firstDifference(from: file, at: 0))
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(readers.count == 64)
            #expect(readers.allSatisfy { $0.0 == file.count && $0.1 == nil })
            let log = try await origin.log()
            #expect(log.bodyBytes == Int64(file.count), "\(log.summary)")
            #expect(log.repeatedBytes == 0, "\(log.summary)")
            try await server.stop()
        }

        /// Each byte is fetched once. The server's memory use doesn't depend on the size of the file.
        @Test func memoryStaysLimitedWithSlowReaders() async throws {
            let file = try await Fixtures.shared.random(Fixtures.large)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.large))
            let idle = try #require(server.peakResidentBytes)
            let fast = Countdown(from: 48)
            let differences = try await withThrowingTaskGroup(of: Int?.self) { group in
                for reader in 0..<64 {
                    group.addTask {
                        try await onThread {
                            let isSlow = reader % 4 == 0
                            let connection = try HTTPConnection(to: url, receiveBuffer: isSlow ? 32 << 10 : nil)
                            _ = try connection.request(url)
                            var position = 0
                            while isSlow, fast.left > 0, position < file.count {
                                let difference = try connection.firstDifference(
                                    from: file, at: position, limit: 64 << 10)
                                if let difference { return difference }
                                position += 64 << 10
                                Thread.sleep(forTimeInterval: 0.05)
                            }
                            let difference = try connection.firstDifference(from: file, at: position)
                            if !isSlow { fast.step() }
                            return difference
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(differences.count == 64 && differences.allSatisfy { $0 == nil })
            let log = try await origin.log()
            #expect(log.bodyBytes == Int64(file.count) && log.repeatedBytes == 0, "\(log.summary)")
            // A reader and its connection use at most 512 KiB, and the connection to the origin at most 12 MiB.
            let bound = idle + 64 * (512 << 10) + (12 << 20)
            let peak = try #require(server.peakResidentBytes)
            print(
                "64 uncached readers: \(peak >> 20) MiB at most, \(idle >> 20) MiB before; the bound is \(bound >> 20) MiB"
            )
            #expect(peak <= bound, "\(peak >> 20) MiB, \(idle >> 20) MiB before")
            try await server.stop()
        }

        /// The time of the first byte is printed.
        @Test func joiningReaderStartsBeforeFillEnds() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder, bytesPerSecond: 20 << 20)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            let left = Countdown(from: 1)
            async let first = onThread {
                let connection = try HTTPConnection(to: url)
                _ = try connection.request(url)
                defer { left.step() }
                return try connection.firstDifference(from: file, at: 0)
            }
            try await eventually("a fill is running") {
                try server.metric("mediacache_read_bytes_total") > 0 ? () : nil
            }
            let delay = try await onThread {
                let connection = try HTTPConnection(to: url)
                let start = ContinuousClock.now
                _ = try connection.request(url)
                guard try connection.body(limit: 1).count == 1 else { throw HarnessError("no first byte") }
                return ContinuousClock.now - start
            }
            #expect(left.left == 1, "the fill ended first")
            print("a reader joining a fill: first byte after \(delay.milliseconds) ms")
            #expect(try await first == nil)
            #expect(try await origin.log().repeatedBytes == 0)
            try await server.stop()
        }

        /// After its player has exited, `play` waits for the downloads of other commands, until Ctrl-C.
        @Test func interruptionEndsWaitForOtherDownloads() async throws {
            let film = "film.bin"
            let origin = try ShapedOrigin(
                .init(connectionRate: 100 << 10), [film: .bytes(seed: 1, length: 20 << 20)])
            let folder = try TemporaryFolder("cache")
            let marks = try TemporaryFolder("player")
            // The player also ends when its folder is removed, so that a failed test leaves no process.
            let player = """
                #!/bin/sh
                touch '\(marks.file("ready"))'
                while [ -e '\(marks.file("ready"))' ] && [ ! -e '\(marks.file("end"))' ]; do sleep 0.05; done

                """
            try player.write(toFile: marks.file("mpv"), atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: marks.file("mpv"))
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            let play = try ChildProcess(
                MediaCacheBinary.path, ["play", origin.url(film), "--with", "mpv", "--cache", folder.path],
                environment: ["PATH": "\(marks.path):\(path)"])
            try await eventually("the player runs", within: .seconds(30)) {
                FileManager.default.fileExists(atPath: marks.file("ready")) ? () : nil
            }
            let get = try ChildProcess(
                MediaCacheBinary.path, ["get", origin.url(film), "--json", "--cache", folder.path])
            try await eventually("the download runs", within: .seconds(30)) {
                get.outputText.contains(#""running""#) ? () : nil
            }
            try Data().write(to: URL(fileURLWithPath: marks.file("end")))
            try await eventually("the command waits", within: .seconds(30)) {
                play.errorText.contains("waiting for other commands") ? () : nil
            }
            play.signal(SIGINT)
            #expect(try await play.end(within: .seconds(40)) == .exit(0), "\(play.errorText)")
            get.signal(SIGINT)
            _ = try await get.end(within: .seconds(40))
        }
    }
}

private final class Countdown: Sendable {
    private let count: Mutex<Int>

    init(from count: Int) { self.count = Mutex(count) }

    var left: Int { count.withLock { $0 } }

    func step() { count.withLock { $0 -= 1 } }
}
