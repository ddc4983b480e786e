import Foundation

/// The benchmark of downloading a stream of 150 segments, as whole processes, over slow connections and from this
/// machine. MediaCache checks and syncs the data and writes checksums; the peers don't. ffmpeg isn't compared, because
/// it fetches the segments one by one.
struct StreamDownloads: Benchmark {
    /// The number of segments, and the length of each in bytes.
    private static let (count, length) = (150, 1_000_000)

    let options: Options
    let report: Report

    func run() async throws {
        let peers = try await peers()
        try await shaped(peers)
        try await unshaped(peers)
    }

    /// Measures the duration with a delay of 50 ms for each response and 2 MiB/s per connection.
    private func shaped(_ peers: [Downloader]) async throws {
        let origin = try ShapedOrigin(ShapedOrigin.Shape(), Self.resources)
        report.begin(
            "A stream of \(Self.count) × 1 MB with 50 ms delay and 2 MiB/s per connection, 16 connections: seconds")
        for peer in peers {
            try report.add(
                await Comparison.alternating(
                    "get", peer: peer.name, unit: "s", rounds: options.rounds,
                    ours: { try await Self.measure(.ours, origin.url("film/index.m3u8")).seconds },
                    theirs: { try await Self.measure(peer, origin.url("film/index.m3u8")).seconds }))
        }
    }

    /// Measures the CPU time and the duration without limits.
    private func unshaped(_ peers: [Downloader]) async throws {
        let folder = try TemporaryFolder("bench-stream")
        for (path, resource) in Self.resources {
            let file = folder.file(path.split(separator: "/").last.map(String.init) ?? path)
            switch resource {
            case .text(let text): try text.write(toFile: file, atomically: true, encoding: .utf8)
            case .bytes(let seed, let length):
                try Data(ShapedOrigin.bytes(seed: seed, 0..<length)).write(to: URL(fileURLWithPath: file))
            }
        }
        let origin = try await NginxPeer(serving: folder.path)
        let url = origin.url("index.m3u8").absoluteString
        report.begin("The stream from this machine: CPU time and elapsed time")
        for peer in peers {
            try report.add(
                await Comparison.alternating(
                    "get, CPU", peer: peer.name, unit: "s", rounds: options.rounds,
                    ours: { try await Self.measure(.ours, url).cpu },
                    theirs: { try await Self.measure(peer, url).cpu }))
            try report.add(
                await Comparison.alternating(
                    "get, time", peer: peer.name, unit: "s", rounds: options.rounds,
                    ours: { try await Self.measure(.ours, url).seconds },
                    theirs: { try await Self.measure(peer, url).seconds }))
        }
        try await origin.stop()
    }

    private static let resources: [String: ShapedOrigin.Resource] = {
        var resources: [String: ShapedOrigin.Resource] = [:]
        var lines = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        for number in 0..<count {
            resources["film/\(number).ts"] = .bytes(seed: number, length: length)
            lines += "#EXTINF:6,\n\(number).ts\n"
        }
        resources["film/index.m3u8"] = .text(lines + "#EXT-X-ENDLIST\n")
        return resources
    }()

    private static func measure(_ downloader: Downloader, _ url: String) async throws -> (seconds: Double, cpu: Double)
    {
        let folder = try TemporaryFolder("bench")
        let child = try await ChildProcess.run(downloader.program, downloader.arguments(url, folder.path))
        return (child.seconds, child.cpuSeconds)
    }

    /// A program that downloads streams.
    struct Downloader: Sendable {
        var name: String
        var program: String
        /// The arguments for the URL of a stream and an output folder.
        var arguments: @Sendable (_ url: String, _ folder: String) throws -> [String]

        static let ours = Downloader(name: "mediacache", program: MediaCacheBinary.path) { url, folder in
            ["get", url, "--cache", folder, "--transfers", "16", "--jobs", "1", "--min-free", "0"]
        }
    }

    /// Returns the peers that are installed or can be installed.
    private func peers() async throws -> [Downloader] {
        var peers: [Downloader] = []
        let environment = MediaCacheBinary.buildFolder + "/download-peers"
        do {
            if !FileManager.default.fileExists(atPath: environment + "/bin/streamlink") {
                try await ChildProcess.run(Peer.required("python3"), ["-m", "venv", environment])
                try await ChildProcess.run(
                    environment + "/bin/python", ["-m", "pip", "install", "--quiet", "yt-dlp", "streamlink"])
            }
            peers.append(
                Downloader(name: "yt-dlp -N 16", program: environment + "/bin/yt-dlp") { url, folder in
                    ["-q", "-N", "16", "--no-part", "--fixup", "never", "-o", "\(folder)/film.ts", url]
                })
            peers.append(
                Downloader(name: "streamlink, 10 threads", program: environment + "/bin/streamlink") { url, folder in
                    ["-l", "none", "--stream-segment-threads", "10", "-o", "\(folder)/film.ts", url, "best"]
                })
        } catch {
            report.say("Skipped: yt-dlp and streamlink couldn't be installed (\(error))")
        }
        if try Peer.isInstalled("aria2c") {
            peers.append(
                Downloader(name: "aria2c -j16", program: try Peer.required("aria2c")) { url, folder in
                    let base = url.dropLast("index.m3u8".count)
                    let list = (0..<Self.count).map { "\(base)\($0).ts\n" }.joined()
                    try list.write(toFile: "\(folder)/urls", atomically: true, encoding: .utf8)
                    return ["-q", "-j16", "--file-allocation=none", "-d", folder, "-i", "\(folder)/urls"]
                })
        }
        return peers
    }
}
