import Foundation

/// The benchmark of a recording of 24 hours in three variants, 129,600 segments of 2 s: the cost of a window and of a
/// new segment.
struct LiveWindows: Benchmark {
    private static let segments = 43_200
    private static let tracks = 3

    let options: Options
    let report: Report

    func run() async throws {
        let source = try TemporaryFolder("day")
        try Self.write(to: source.path)
        let origin = try await NginxOrigin(serving: source.path)
        let cache = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: cache.path)
        let channel = try await RecordedChannel("day", of: origin.url("master.m3u8"), on: server)
        report.beginAlone("A recording of 24 h, \(Self.tracks) variants, segments of 2 s")
        var samples: [(segments: Int, cpu: Double, memory: Int)] = []
        let all = Self.segments * Self.tracks
        try await eventually("all segments are recorded", within: .seconds(1800)) {
            let count = try channel.status().segments
            samples.append((count, try server.cpuSeconds(), server.tree.residentBytes))
            try await Task.sleep(for: .seconds(1))
            return count == all ? () : nil
        }
        try reportGrowth(samples, all)
        for (hours, name) in [(1, "1 h"), (24, "24 h")] {
            let end = try channel.status().recordedRanges[0].to
            let begin = end - Int64(hours) * 3_600_000
            let connection = try HTTPConnection(to: channel.url(""))
            // A playlist with a new start is generated; a repeated one comes from the cache.
            for (state, step) in [("created", 1), ("cached", 0)] as [(String, Int64)] {
                var times = Measurement("a playlist of \(name), \(state)", unit: "ms")
                for round in 0..<Int64(20 * options.rounds) {
                    let from = begin * 1_000_000 + (round + 1) * step
                    let url = channel.url("video-1/span-\(from)-\(end)000000.m3u8")
                    let start = ContinuousClock.now
                    _ = try connection.request(url)
                    let bytes = try connection.body()
                    times.figures.append((ContinuousClock.now - start).milliseconds)
                    guard bytes.count > hours * 1800 * 10 else {
                        throw HarnessError("the playlist of \(name) is too short: \(bytes.count) bytes")
                    }
                }
                try report.add(times)
            }
        }
        try await server.stop()
    }

    /// Reports CPU time and memory at the start and at the end of the recording.
    private func reportGrowth(_ samples: [(segments: Int, cpu: Double, memory: Int)], _ all: Int) throws {
        func cost(from lower: Double, to upper: Double) -> (cpu: Double, memory: Int)? {
            let inside = samples.filter {
                Double($0.segments) >= lower * Double(all) && Double($0.segments) <= upper * Double(all)
            }
            guard let first = inside.first, let last = inside.last, last.segments > first.segments else { return nil }
            return ((last.cpu - first.cpu) * 1e6 / Double(last.segments - first.segments), last.memory)
        }
        guard let first = cost(from: 0.05, to: 0.2), let last = cost(from: 0.85, to: 1) else { return }
        try report.add(Measurement("CPU time per segment, first fifth", unit: "µs", figures: [first.cpu]))
        try report.add(Measurement("CPU time per segment, at the end", unit: "µs", figures: [last.cpu]))
        try report.add(
            Measurement("resident memory after the first fifth", unit: "MB", figures: [Double(first.memory) / 1e6]))
        try report.add(Measurement("resident memory at the end", unit: "MB", figures: [Double(last.memory) / 1e6]))
    }

    private static func write(to folder: String) throws {
        let start = Date(timeIntervalSinceNow: -Double(2 * segments)).ISO8601Format()
        var master = "#EXTM3U\n"
        for track in 0..<tracks {
            master += "#EXT-X-STREAM-INF:BANDWIDTH=\(100_000 * (track + 1))\nv\(track).m3u8\n"
            try FileManager.default.createDirectory(atPath: "\(folder)/v\(track)", withIntermediateDirectories: true)
            var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PROGRAM-DATE-TIME:\(start)\n"
            let packets = (0..<4).flatMap { [UInt8(0x47)] + [UInt8](repeating: UInt8($0), count: 187) }
            let path = "\(folder)/v\(track)/segment"
            try Data(packets).write(to: URL(filePath: path))
            for number in 0..<segments {
                // All segments are hard links to one file.
                guard link(path, "\(folder)/v\(track)/\(number).ts") == 0 else {
                    throw HarnessError("\(path) can't be linked: \(String(cString: strerror(errno)))")
                }
                text += "#EXTINF:2,\nv\(track)/\(number).ts\n"
            }
            try text.write(toFile: "\(folder)/v\(track).m3u8", atomically: true, encoding: .utf8)
        }
        try master.write(toFile: "\(folder)/master.m3u8", atomically: true, encoding: .utf8)
    }
}

extension RunningServer {
    /// Returns the processor time used by the server, in seconds.
    fileprivate func cpuSeconds() throws -> Double {
        let text = try String(contentsOfFile: "/proc/\(process.processID)/stat", encoding: .utf8)
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
