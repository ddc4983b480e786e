import Foundation

/// The benchmark of serving a cached file to many clients, against nginx with sendfile and two workers.
struct CachedServing: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let ours = try await server.play(origin.url(Fixtures.big))
        _ = try await Curl.bytesPerSecond(ours)
        let nginx = try await NginxPeer(serving: Fixtures.folder)
        let theirs = nginx.url(Fixtures.big)
        // Warms the page cache with both files.
        for url in [ours, theirs, ours, theirs] { _ = try await Curl.bytesPerSecond(url) }

        report.begin("Serving 1 GiB from the cache")
        try report.add(
            await Comparison.alternating(
                "full GET, curl", peer: "nginx", unit: "MB/s", rounds: options.rounds,
                ours: { try await Curl.bytesPerSecond(ours) / 1e6 },
                theirs: { try await Curl.bytesPerSecond(theirs) / 1e6 }))
        for range in [nil, 1 << 20, 64 << 10] {
            for connections in [1, 16, 64] {
                let read = range.map { "\($0 >> 10) KiB ranges" } ?? "full GET"
                let load = Wrk(range: range, fileLength: 1 << 30, connections: connections, seconds: options.seconds)
                try report.add(
                    await Comparison.alternating(
                        "\(read), \(connections) connections", peer: "nginx", unit: "MB/s", rounds: options.rounds,
                        ours: { try await load.bytesPerSecond(ours) / 1e6 },
                        theirs: { try await load.bytesPerSecond(theirs) / 1e6 }))
            }
        }
        if let peak = server.peakResidentBytes {
            report.say("\nPeak resident memory of the server: \(peak / 1_000_000) MB")
        }
        try await server.stop()
    }
}
