import Foundation

/// The benchmark of fetching 1 GiB to disk, as whole processes: `mediacache get` into an empty cache against `curl -o`
/// and aria2c. MediaCache syncs the data and writes checksums; the peers do neither.
struct FillThroughput: Benchmark {
    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let source = origin.url(Fixtures.big).absoluteString
        try await Curl.read(origin.url(Fixtures.big))
        report.begin("Fetching 1 GiB to disk")
        try await compare("curl -o", source, goal: .ratio(atLeast: 1)) {
            try await measure("curl") { ["-sS", "--fail", "-o", "\($0)/file", source] }
        }
        if try Peer.isInstalled("aria2c") {
            try await compare("aria2c -x4", source, goal: .ratio(atLeast: 1.6)) {
                try await measure("aria2c") {
                    ["-q", "-x4", "-s4", "--file-allocation=none", "-d", $0, "-o", "file", source]
                }
            }
        }
    }

    private func compare(
        _ peer: String, _ source: String, goal: Goal, theirs: () async throws -> [Double]
    ) async throws {
        try report.add(
            await Comparison.alternating(
                Comparison.rateAndCPU("get 1 GiB, whole process"), peer: peer, rounds: options.rounds,
                ours: { try await measure(MediaCacheBinary.path) { ["get", source, "--cache", $0] } }, theirs: theirs),
            goal: goal)
    }

    private func measure(_ program: String, _ arguments: (_ folder: String) -> [String]) async throws -> [Double] {
        let folder = try TemporaryFolder("bench")
        let child = try await ChildProcess.run(program, arguments(folder.path))
        return child.rateAndCPU(bytes: 1 << 30)
    }
}
