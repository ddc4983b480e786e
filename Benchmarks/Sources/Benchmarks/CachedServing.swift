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
        try await Curl.read(ours)
        let nginx = try await NginxPeer(serving: Fixtures.folder)
        let theirs = nginx.url(Fixtures.big)
        // Warms the page cache with both files.
        for url in [ours, theirs, ours, theirs] { try await Curl.read(url) }

        report.begin("Serving 1 GiB from the cache")
        try report.add(
            await Comparison.alternating(
                Comparison.rateAndCPU("cached full GET, curl"), peer: "nginx, sendfile", rounds: options.rounds,
                ours: { try await server.tree.rateAndCPU { try await Curl.read(ours) } },
                theirs: { try await nginx.tree.rateAndCPU { try await Curl.read(theirs) } }),
            goal: .ratio(atLeast: 1.2))
        let reads: [(name: String, range: Int?, goal: Goal?)] = [
            ("full GET", nil, nil), ("1 MiB ranges", 1 << 20, .ratio(atLeast: 1)),
            ("64 KiB ranges", 64 << 10, .ratio(atLeast: 0.9)),
        ]
        for (read, range, goal) in reads where goal != nil || !options.measuresOnlyGoals {
            for connections in [1, 16, 64] {
                let load = Wrk(range: range, fileLength: 1 << 30, connections: connections, seconds: options.seconds)
                let name = "cached \(read), \(connections) connection\(connections == 1 ? "" : "s")"
                try report.add(
                    await Comparison.alternating(
                        Comparison.rateAndCPU(name), peer: "nginx, sendfile", rounds: options.rounds,
                        ours: { try await server.tree.rateAndCPU { try await load.run(ours) } },
                        theirs: { try await nginx.tree.rateAndCPU { try await load.run(theirs) } }),
                    goal: goal)
            }
        }
        if let peak = server.peakResidentBytes {
            report.say("\nPeak resident memory of the server: \(peak / 1_000_000) MB")
        }
        try await server.stop()
    }
}
