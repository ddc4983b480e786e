import Foundation

/// The benchmark of downloading streams, as whole processes: 150 long segments over slow connections and from this
/// machine, and 600 short ones from this machine. MediaCache checks and syncs the data and writes checksums; the peers
/// don't. ffmpeg, which fetches one segment at a time, is a peer only for the short segments.
struct StreamDownloads: Benchmark {
    /// The number of long segments, and the length of each in bytes.
    private static let (longCount, longLength) = (150, 1_000_000)
    private static let shortCount = 600

    let options: Options
    let report: Report

    func run() async throws {
        if !options.measuresOnlyGoals {
            let peers = try await peers()
            try await shaped(peers)
            try await unshaped(peers)
        }
        try await shortSegments()
    }

    /// Measures the duration with a delay of 50 ms for each response and 2 MiB/s per connection.
    private func shaped(_ peers: [Downloader]) async throws {
        let origin = try ShapedOrigin(ShapedOrigin.Shape(), Self.resources)
        report.begin(
            "A stream of \(Self.longCount) × 1 MB with 50 ms delay and 2 MiB/s per connection, 16 connections: seconds")
        for peer in peers {
            try report.add(
                await Comparison.alternating(
                    "get", peer: peer.name, unit: "s", rounds: options.rounds,
                    ours: { try await Self.run(.ours, origin.url("film/index.m3u8")).seconds },
                    theirs: { try await Self.run(peer, origin.url("film/index.m3u8")).seconds }))
        }
    }

    /// Measures the rate and the CPU time, without a delay or a limited rate.
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
        report.begin("The stream from this machine (a ratio of rates above 1: ours is faster)")
        let bytes = Self.longCount * Self.longLength
        for peer in peers {
            try report.add(
                await Comparison.alternating(
                    Comparison.rateAndCPU("get"), peer: peer.name, rounds: options.rounds,
                    ours: { try await Self.run(.ours, url).rateAndCPU(bytes: bytes) },
                    theirs: { try await Self.run(peer, url).rateAndCPU(bytes: bytes) }))
        }
        try await origin.stop()
    }

    /// Measures the rate and the CPU time with short segments.
    private func shortSegments() async throws {
        guard try Peer.isInstalled("ffmpeg") else {
            return report.say("\nSkipped: the stream of \(Self.shortCount) segments needs ffmpeg.")
        }
        let folder = try TemporaryFolder("bench-stream")
        let bytes = try await Self.makeShortSegments(in: folder)
        let origin = try await NginxPeer(serving: folder.path)
        let url = origin.url("index.m3u8").absoluteString
        var peers: [(peer: Downloader, goal: Goal)] = [(try .ffmpeg(), .ratio(atLeast: 1))]
        if try Peer.isInstalled("aria2c") { peers.insert((try .aria2c(Self.shortCount), .ratio(atLeast: 2)), at: 0) }
        report.begin("A stream of \(Self.shortCount) segments, \(bytes / 1_000_000) MB, from this machine")
        for (peer, goal) in peers {
            try report.add(
                await Comparison.alternating(
                    Comparison.rateAndCPU("get a stream of \(Self.shortCount) segments"), peer: peer.name,
                    rounds: options.rounds,
                    ours: { try await Self.run(.ours, url).rateAndCPU(bytes: bytes) },
                    theirs: { try await Self.run(peer, url).rateAndCPU(bytes: bytes) }), goal: goal)
        }
        try await origin.stop()
    }

    /// Creates a stream with segments of a second, about 104 KB each, and returns the sum of their lengths in bytes.
    private static func makeShortSegments(in folder: TemporaryFolder) async throws -> Int {
        let clips = try TemporaryFolder("bench-clip")
        let clip = clips.file("clip.ts")
        try await Peer.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25", "-f", "lavfi", "-i", "sine=440:r=48000"]
                + ["-t", "20", "-c:v", "libx264", "-preset", "ultrafast", "-g", "25", "-sc_threshold", "0"]
                + ["-b:v", "700k", "-minrate", "700k", "-maxrate", "700k", "-bufsize", "700k"]
                + ["-x264-params", "nal-hrd=cbr", "-pix_fmt", "yuv420p", "-c:a", "aac", clip])
        // A segment ends before the first keyframe after half a second, which is the next one.
        try await Peer.run(
            "ffmpeg",
            ["-v", "error", "-stream_loop", "\(shortCount / 20 - 1)", "-i", clip, "-c", "copy", "-f", "hls"]
                + ["-hls_time", "0.5", "-hls_list_size", "0", "-hls_playlist_type", "vod"]
                + ["-hls_segment_filename", folder.file("%d.ts"), folder.file("index.m3u8")])
        let files = FileManager.default
        let names = try files.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".ts") }
        guard names.count == shortCount else { throw HarnessError("ffmpeg wrote \(names.count) segments") }
        return try names.reduce(0) { sum, name in
            sum + (try files.attributesOfItem(atPath: folder.file(name))[.size] as? Int ?? 0)
        }
    }

    private static let resources: [String: ShapedOrigin.Resource] = {
        var resources: [String: ShapedOrigin.Resource] = [:]
        var lines = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
        for number in 0..<longCount {
            resources["film/\(number).ts"] = .bytes(seed: number, length: longLength)
            lines += "#EXTINF:6,\n\(number).ts\n"
        }
        resources["film/index.m3u8"] = .text(lines + "#EXT-X-ENDLIST\n")
        return resources
    }()

    private static func run(_ downloader: Downloader, _ url: String) async throws -> ChildProcess {
        let folder = try TemporaryFolder("bench")
        return try await ChildProcess.run(downloader.program, downloader.arguments(url, folder.path))
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

        static func ffmpeg() throws -> Downloader {
            Downloader(name: "ffmpeg -c copy", program: try Peer.required("ffmpeg")) { url, folder in
                ["-v", "error", "-i", url, "-c", "copy", "\(folder)/film.ts"]
            }
        }

        /// Downloads a number of segments named `0.ts` and so on by a list of their URLs.
        static func aria2c(_ count: Int) throws -> Downloader {
            Downloader(name: "aria2c -j16", program: try Peer.required("aria2c")) { url, folder in
                let base = url.dropLast("index.m3u8".count)
                let list = (0..<count).map { "\(base)\($0).ts\n" }.joined()
                try list.write(toFile: "\(folder)/urls", atomically: true, encoding: .utf8)
                return ["-q", "-j16", "--file-allocation=none", "-d", folder, "-i", "\(folder)/urls"]
            }
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
        if try Peer.isInstalled("aria2c") { peers.append(try .aria2c(Self.longCount)) }
        return peers
    }
}
