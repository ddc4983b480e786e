import Foundation

/// The benchmark of reading a file of 1 GiB through an empty cache. Each round starts a new process with an empty
/// folder.
struct ColdPassThrough {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let direct = origin.url(Fixtures.big)
        _ = try await Curl.bytesPerSecond(direct)
        report.begin("Passing 1 GiB through an empty cache, curl")
        try report.add(
            await Comparison.alternating(
                "cold full GET", peer: "nginx, proxy_cache and slice 1m", unit: "MB/s", rounds: options.rounds,
                ours: { try await ours(origin) },
                theirs: {
                    let nginx = try await NginxPeer(caching: origin)
                    let rate = try await Curl.bytesPerSecond(nginx.url(Fixtures.big))
                    try await nginx.stop()
                    return rate / 1e6
                }))
        if try Peer.isInstalled("varnishd") {
            try report.add(
                await Comparison.alternating(
                    "cold full GET", peer: "Varnish, memory", unit: "MB/s", rounds: options.rounds,
                    ours: { try await ours(origin) },
                    theirs: {
                        let varnish = try await VarnishPeer(caching: origin)
                        let rate = try await Curl.bytesPerSecond(varnish.url(Fixtures.big))
                        try await varnish.stop()
                        return rate / 1e6
                    }))
        }
        try report.add(
            await Comparison.alternating(
                "cold full GET", peer: "no cache: the origin itself", unit: "MB/s", rounds: options.rounds,
                ours: { try await ours(origin) },
                theirs: { try await Curl.bytesPerSecond(direct) / 1e6 }))
    }

    private func ours(_ origin: NginxOrigin) async throws -> Double {
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let rate = try await Curl.bytesPerSecond(try await server.play(origin.url(Fixtures.big)))
        try await server.stop()
        return rate / 1e6
    }
}
