import Foundation

/// The benchmark of reading a file of 1 GiB through an empty cache. Each round starts a new process with an empty
/// folder.
struct ColdPassThrough: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let direct = origin.url(Fixtures.big)
        _ = try await Curl.bytesPerSecond(direct)
        report.begin("Passing 1 GiB through an empty cache, curl")
        try await compare(origin, "nginx, proxy_cache and slice 1m") {
            let nginx = try await NginxPeer(caching: origin)
            let rate = try await Curl.bytesPerSecond(nginx.url(Fixtures.big))
            try await nginx.stop()
            return [rate / 1e6, nginx.process.cpuSeconds]
        }
        if try Peer.isInstalled("varnishd") {
            try await compare(origin, "Varnish, memory") {
                let varnish = try await VarnishPeer(caching: origin)
                let rate = try await Curl.bytesPerSecond(varnish.url(Fixtures.big))
                try await varnish.stop()
                return [rate / 1e6, varnish.process.cpuSeconds]
            }
        }
        try report.add(
            await Comparison.alternating(
                "cold full GET", peer: "no cache: the origin itself", unit: "MB/s", rounds: options.rounds,
                ours: { try await ours(origin)[0] },
                theirs: { try await Curl.bytesPerSecond(direct) / 1e6 }))
    }

    private func compare(_ origin: NginxOrigin, _ peer: String, theirs: () async throws -> [Double]) async throws {
        let comparisons = try await Comparison.alternating(
            [("cold full GET", "MB/s"), ("CPU per GiB, a ratio below 1: ours is lower", "s")], peer: peer,
            rounds: options.rounds, ours: { try await ours(origin) }, theirs: theirs)
        for comparison in comparisons { try report.add(comparison) }
    }

    /// Returns the rate in MB/s and the CPU time of the server in seconds.
    private func ours(_ origin: NginxOrigin) async throws -> [Double] {
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let rate = try await Curl.bytesPerSecond(try await server.play(origin.url(Fixtures.big)))
        try await server.stop()
        return [rate / 1e6, server.process.cpuSeconds]
    }
}
