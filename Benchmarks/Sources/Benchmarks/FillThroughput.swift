import Foundation

/// The benchmark of fetching 1 GiB to disk, as whole processes: `mediacache get` into an empty cache against `curl -o`
/// and aria2c. MediaCache syncs the data and writes checksums; the peers do neither.
struct FillThroughput: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let source = origin.url(Fixtures.big).absoluteString
        _ = try await Curl.bytesPerSecond(origin.url(Fixtures.big))
        report.begin("Fetching 1 GiB to disk")
        try await compare("curl -o", source) {
            try await measure("curl") { ["-sS", "--fail", "-o", "\($0)/file", source] }
        }
        if try Peer.isInstalled("aria2c") {
            try await compare("aria2c -x4", source) {
                try await measure("aria2c") {
                    ["-q", "-x4", "-s4", "--file-allocation=none", "-d", $0, "-o", "file", source]
                }
            }
        }
    }

    private func compare(_ peer: String, _ source: String, theirs: () async throws -> [Double]) async throws {
        let comparisons = try await Comparison.alternating(
            [("get, whole process", "MB/s"), ("CPU per GiB, a ratio below 1: ours is lower", "s")], peer: peer,
            rounds: options.rounds,
            ours: { try await measure(MediaCacheBinary.path) { ["get", source, "--cache", $0] } }, theirs: theirs)
        for comparison in comparisons { try report.add(comparison) }
    }

    /// Returns the rate of a program in MB/s, over its whole running time, and its CPU time in seconds.
    private func measure(_ program: String, _ arguments: (_ folder: String) -> [String]) async throws -> [Double] {
        let folder = try TemporaryFolder("bench")
        let child = try await ChildProcess.run(program, arguments(folder.path))
        return [Double(1 << 30) / 1e6 / child.seconds, child.cpuSeconds]
    }
}
