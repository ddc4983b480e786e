import Foundation
import Synchronization
import TestSupport

/// A long load of paced clients, to find growth of memory, leaked descriptors and failed requests. The clients seek in
/// files whose total size exceeds the cache, so that the server fills, evicts and serves cached bytes at the same time.
struct Soak: Benchmark {
    private static let clients = 200
    private static let files = 24
    /// The length of a file in bytes, and of the part that a client reads once per second.
    private static let (length, part) = (256 << 20, 256 << 10)
    /// The number of parts that a client reads before it seeks, and before it opens another file on a new connection.
    private static let (partsPerSeek, partsPerFile) = (20, 60)

    let options: Options
    let report: Report

    private struct Counts {
        var requests = 0
        var failures: [String] = []
    }

    /// The counts of all clients.
    private final class Record: Sendable {
        let counts = Mutex(Counts())
    }

    func run() async throws {
        let file = try await Fixtures.shared.random(Fixtures.large)
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(
            cache: folder.path, command: ["serve", "--min-free", "0", "--max-size", "2G"])
        let film = try await server.play(origin.url(Fixtures.large))
        let record = Record()
        let end = ContinuousClock.now + .seconds(60 * options.minutes)
        // The first part of the load fills the cache.
        let warm = ContinuousClock.now + .seconds(60 * options.minutes) / 6
        var samples: [(memory: Int, descriptors: Int)] = []
        report.say("\nSoak: \(Self.clients) clients for \(options.minutes) minutes")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<Self.clients {
                group.addTask {
                    try await onThread {
                        var random = SeededGenerator(seed: UInt64(client))
                        while ContinuousClock.now < end {
                            do {
                                try Self.play(film, file, until: end, &random) {
                                    record.counts.withLock { $0.requests += 1 }
                                }
                            } catch {
                                record.counts.withLock { $0.failures.append("\(error)") }
                                Thread.sleep(forTimeInterval: 1)
                            }
                        }
                    }
                }
            }
            while ContinuousClock.now < end {
                try await Task.sleep(for: .seconds(10))
                guard ContinuousClock.now > warm else { continue }
                samples.append((server.tree.residentBytes, server.tree.descriptors))
            }
            try await group.waitForAll()
        }
        let count = record.counts.withLock { $0 }
        report.beginAlone("Soak: \(count.requests) requests succeeded, \(count.failures.count) failed")
        for failure in count.failures.prefix(5) { report.say("failed: \(failure)") }
        let edge = max(1, min(6, samples.count / 2))
        let memory = samples.map { Double($0.memory) / 1e6 }
        let descriptors = samples.map { Double($0.descriptors) }
        for (name, part) in [("beginning", 0..<edge), ("end", samples.count - edge..<samples.count)] {
            try report.add(Measurement("resident memory, \(name)", unit: "MB", figures: Array(memory[part])))
            try report.add(Measurement("descriptors, \(name)", unit: "", figures: Array(descriptors[part])))
        }
        try report.add(Measurement("resident memory, all samples", unit: "MB", figures: memory))
        try await Task.sleep(for: .seconds(2))
        try report.add(
            Measurement("descriptors without clients", unit: "", figures: [Double(server.tree.descriptors)]))
        try await server.stop()
    }

    /// Plays one of the files for a while, and compares each byte.
    private static func play(
        _ film: URL, _ file: MappedFile, until end: ContinuousClock.Instant, _ random: inout SeededGenerator,
        _ requested: () -> Void
    ) throws {
        // The playback URL ends with the origin's URL.
        let url = URL(string: "\(film)?file=\(Int.random(in: 0..<files, using: &random))") ?? film
        let connection = try HTTPConnection(to: url)
        var next = ContinuousClock.now
        var offset = 0
        for number in 0..<partsPerFile where ContinuousClock.now < end {
            if number % partsPerSeek == 0 {
                offset = Int.random(in: 0..<(length / part - partsPerSeek), using: &random) * part
            }
            let head = try connection.request(url, range: offset..<offset + part)
            guard head.status == 206 else { throw HarnessError("status \(head.status) at \(offset)") }
            if let difference = try connection.firstDifference(from: file, at: offset) {
                throw HarnessError("a wrong byte after \(difference)")
            }
            requested()
            offset += part
            next += .seconds(1)
            Thread.sleep(forTimeInterval: max(0, (next - .now).milliseconds / 1000))
        }
    }
}
