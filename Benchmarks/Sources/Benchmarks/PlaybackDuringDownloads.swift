import Foundation

/// The benchmark of playback, and of small requests of another program, while downloads saturate the shared link. The
/// peer is an otherwise idle link.
struct PlaybackDuringDownloads: Benchmark {
    private static let link = 10 << 20
    private static let filmLength = 30_000_000

    let options: Options
    let report: Report

    func run() async throws {
        report.begin("During downloads that saturate a link of 10 MiB/s with 50 ms delay")
        var rate = Comparison("rate of playback", peer: "idle link", unit: "MB/s")
        var first = Comparison("first byte of playback", peer: "idle link", unit: "ms")
        var small = Comparison("small request of another program", peer: "idle link", unit: "ms")
        for round in 0..<options.rounds {
            let alone = try await measure(downloads: 0, round)
            let beside = try await measure(downloads: 4, round)
            rate.ours.append(beside.rate)
            rate.theirs.append(alone.rate)
            first.ours.append(beside.first)
            first.theirs.append(alone.first)
            small.ours.append(beside.small)
            small.theirs.append(alone.small)
        }
        for comparison in [rate, first, small] { try report.add(comparison) }
    }

    private func measure(
        downloads count: Int, _ round: Int
    ) async throws -> (rate: Double, first: Double, small: Double) {
        var resources: [String: ShapedOrigin.Resource] = [
            "film/film.mp4": .bytes(seed: 1, length: Self.filmLength), "small/page.bin": .bytes(seed: 2, length: 1000),
        ]
        for number in 0..<count {
            resources["file\(number)/big.mp4"] = .bytes(seed: 10 + number, length: 2_000_000_000)
        }
        let shape = ShapedOrigin.Shape(delay: .milliseconds(50), connectionRate: nil, linkRate: Self.link)
        let origin = try ShapedOrigin(shape, resources)
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let key = try await server.key()
        for number in 0..<count {
            let (status, _) = try server.call(
                "POST", "/api/v1/downloads", key: key, #"{"url":"\#(origin.url("file\(number)/big.mp4"))"}"#)
            guard status == 201 else { throw HarnessError("the download wasn't created: status \(status)") }
        }
        if count > 0 { try await Task.sleep(for: .seconds(5)) }
        guard let film = URL(string: origin.url("film/film.mp4")), let page = URL(string: origin.url("small/page.bin"))
        else { throw HarnessError("the origin returned an invalid URL") }
        var times: [Double] = []
        for _ in 0..<10 {
            let start = ContinuousClock.now
            let connection = try HTTPConnection(to: page)
            _ = try connection.request(page)
            _ = try connection.body()
            times.append((ContinuousClock.now - start).milliseconds)
            try await Task.sleep(for: .milliseconds(100))
        }
        let url = try await server.play(film)
        let start = ContinuousClock.now
        let connection = try HTTPConnection(to: url)
        _ = try connection.request(url)
        _ = try connection.body(limit: 1)
        let first = (ContinuousClock.now - start).milliseconds
        _ = try connection.body()
        let all = (ContinuousClock.now - start).milliseconds
        // Ends the server without waiting for the downloads.
        server.kill()
        _ = try await server.process.end(within: .seconds(10))
        return (Double(Self.filmLength) / 1e3 / all, first, times.median)
    }
}
