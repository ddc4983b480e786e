import Foundation

/// The benchmark of 64 clients that simultaneously read through an empty cache, each with its own URL. It also measures
/// the server's peak memory.
struct ColdReaders: Benchmark {
    private static let clients = 64
    /// The number of bytes that each client reads.
    private static let length = 16 << 20

    let options: Options
    let report: Report

    func run() async throws {
        _ = try await Fixtures.shared.random(Fixtures.medium)
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        report.begin("\(Self.clients) clients, each reading \(Self.length >> 20) MiB of a file that isn't cached")
        let names = [("cold, all clients", "MB/s"), ("peak resident memory", "MB"), ("CPU per GiB", "s")]
        let comparisons = try await Comparison.alternating(
            names, peer: "nginx, proxy_cache and slice 1m", rounds: options.rounds,
            ours: {
                let folder = try TemporaryFolder("bench")
                let server = try await RunningServer(cache: folder.path)
                let film = try await server.play(origin.url(Fixtures.medium))
                let rate = try await Self.read { number in
                    // The playback URL ends with the origin's URL.
                    URL(string: "\(film)?client=\(number)") ?? film
                }
                let peak = server.tree.peakResidentBytes
                try await server.stop()
                return [rate, Double(peak) / 1e6, server.process.cpuSeconds]
            },
            theirs: {
                let nginx = try await NginxPeer(caching: origin)
                let rate = try await Self.read { nginx.url("\(Fixtures.medium)?client=\($0)") }
                let peak = nginx.tree.peakResidentBytes
                try await nginx.stop()
                return [rate, Double(peak) / 1e6, nginx.process.cpuSeconds]
            })
        for comparison in comparisons { try report.add(comparison) }
    }

    /// Reads with all clients, and returns the total rate in MB/s.
    private static func read(_ url: @escaping @Sendable (Int) -> URL) async throws -> Double {
        let start = ContinuousClock.now
        _ = try await concurrently(Array(0..<clients), width: clients) { number in
            try await onThread {
                let url = url(number)
                let connection = try HTTPConnection(to: url)
                let head = try connection.request(url, range: 0..<length)
                guard head.status == 206 else { throw HarnessError("\(url): status \(head.status)") }
                try withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 16) { buffer in
                    while try connection.read(into: buffer) > 0 {}
                }
            }
        }
        return Double(clients * length) / 1e6 / ((ContinuousClock.now - start).milliseconds / 1000)
    }
}
