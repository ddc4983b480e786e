import Foundation
import TestSupport

/// The benchmark of many clients that replay different windows of a recording, against nginx serving the segments as
/// files.
struct LiveReplay: Benchmark {
    private static let segments = 600
    /// The number of packets of 188 bytes in a segment of 400 KB.
    private static let segmentPackets = 2128

    let options: Options
    let report: Report

    func run() async throws {
        let source = try TemporaryFolder("live")
        try Self.write(to: source.path)
        let origin = try await NginxOrigin(serving: source.path)
        let cache = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: cache.path)
        let channel = try await RecordedChannel("one", of: origin.url("index.m3u8"), on: server)
        try await eventually("all segments are recorded", within: .seconds(120)) {
            try channel.status().segments == Self.segments ? () : nil
        }
        let nginx = try await NginxPeer(serving: source.path)
        let span = try channel.status().recordedRanges[0]
        report.begin("Replaying windows of a recording: segments of 400 KB, and a playlist for each 30")
        for clients in [1, 64, 500] {
            let ours = load(
                clients, "/live/one/media-1/",
                playlist: { second in
                    "span-\(span.from + second * 1000)000000-\(span.to)000000.m3u8"
                })
            let theirs = load(clients, "/", playlist: { _ in "index.m3u8" })
            // Warms the page cache for both.
            try await ours.run(server.base)
            try await theirs.run(nginx.url(""))
            try report.add(
                await Comparison.alternating(
                    Comparison.rateAndCPU("400 KB segments, \(clients) client\(clients == 1 ? "" : "s")"),
                    peer: "nginx, static files", rounds: options.rounds,
                    ours: { try await server.tree.rateAndCPU { try await ours.run(server.base) } },
                    theirs: { try await nginx.tree.rateAndCPU { try await theirs.run(nginx.url("")) } }),
                goal: .ratio(atLeast: 1))
        }
        if let peak = server.peakResidentBytes {
            report.say("\nPeak resident memory of the server: \(peak / 1_000_000) MB")
        }
        try await server.stop()
    }

    /// Returns a load in which each client requests the segments in order, starting at a random one, and one of eight
    /// playlists in place of every 30th segment.
    private func load(_ clients: Int, _ base: String, playlist: (Int64) -> String) -> Wrk {
        let segments = Self.segments
        let clientsPerThread = max(clients / 2, 1)
        let names = (0..<8).map { "\"\(base)\(playlist(Int64($0) * 120))\"" }.joined(separator: ", ")
        let script = """
            local threads = 0
            local playlists = { \(names) }
            function setup(thread) threads = threads + 1; thread:set("number", threads) end
            function init(arguments)
                math.randomseed(1000 + number)
                places = {}
                for client = 1, \(clientsPerThread) do places[client] = math.random(0, \(segments - 1)) end
                turn = 0
            end
            function request()
                turn = turn % \(clientsPerThread) + 1
                places[turn] = (places[turn] + 1) % \(segments)
                if places[turn] % 30 == 0 then return wrk.format("GET", playlists[turn % 8 + 1]) end
                return wrk.format("GET", "\(base)" .. places[turn] .. ".ts")
            end
            """
        return Wrk(range: nil, fileLength: 0, connections: clients, seconds: options.seconds, script: script)
    }

    /// Writes a live playlist and its segments: random packets with the sync byte of a transport stream.
    private static func write(to folder: String) throws {
        var random = SeededGenerator(seed: 1)
        let start = Date(timeIntervalSinceNow: -Double(2 * segments)).ISO8601Format()
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PROGRAM-DATE-TIME:\(start)\n"
        for number in 0..<segments {
            var bytes = [UInt8](repeating: 0, count: segmentPackets * 188)
            for index in bytes.indices where index % 188 > 3 { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
            for packet in 0..<segmentPackets { bytes[packet * 188] = 0x47 }
            try Data(bytes).write(to: URL(filePath: "\(folder)/\(number).ts"))
            text += "#EXTINF:2,\n\(number).ts\n"
        }
        try text.write(toFile: "\(folder)/index.m3u8", atomically: true, encoding: .utf8)
    }
}
