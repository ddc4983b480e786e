import Foundation

/// The benchmark of reading a file of 1 GiB through an empty cache. Each round starts a new process with an empty
/// folder.
struct ColdPassThrough: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let direct = origin.url(Fixtures.big)
        try await Curl.read(direct)
        report.begin("Passing 1 GiB through an empty cache, curl")
        let cpu = try await compare(origin, "nginx, proxy_cache and slice 1m", goal: .ratio(atLeast: 1.1)) {
            let nginx = try await NginxPeer(caching: origin)
            let rate = try await Curl.read(nginx.url(Fixtures.big)).rate
            try await nginx.stop()
            return [rate, nginx.process.cpuSeconds]
        }
        if try Peer.isInstalled("varnishd") {
            _ = try await compare(origin, "Varnish, memory", goal: .ratio(atLeast: 1)) {
                let varnish = try await VarnishPeer(caching: origin)
                let rate = try await Curl.read(varnish.url(Fixtures.big)).rate
                try await varnish.stop()
                return [rate, varnish.process.cpuSeconds]
            }
        }
        try report.add(.figure(atMost: 1.3), of: cpu)
        guard !options.measuresOnlyGoals else { return }
        try report.add(
            await Comparison.alternating(
                "cold full GET", peer: "no cache: the origin itself", unit: "MB/s", rounds: options.rounds,
                ours: { try await ours(origin)[0] },
                theirs: { try await Curl.read(direct).rate }))
    }

    /// Returns the comparison of CPU times.
    private func compare(
        _ origin: NginxOrigin, _ peer: String, goal: Goal, theirs: () async throws -> [Double]
    ) async throws -> Comparison {
        let comparisons = try await Comparison.alternating(
            Comparison.rateAndCPU("cold full GET"), peer: peer, rounds: options.rounds,
            ours: { try await ours(origin) }, theirs: theirs)
        try report.add(comparisons, goal: goal)
        return comparisons[1]
    }

    /// Returns the rate in MB/s and the CPU time of the server in seconds.
    private func ours(_ origin: NginxOrigin) async throws -> [Double] {
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let rate = try await Curl.read(try await server.play(origin.url(Fixtures.big))).rate
        try await server.stop()
        return [rate, server.process.cpuSeconds]
    }
}
