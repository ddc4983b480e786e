import Foundation

/// A benchmark with a name in ``Options/known``.
protocol Benchmark {
    init(options: Options, report: Report)

    func run() async throws
}

/// The command. It runs the selected benchmarks, prints tables, and writes each result as a line of JSON.
@main
struct BenchmarksCommand {
    static let usage = """
        usage: Benchmarks/run [--only NAME,…] [--goals] [--rounds N] [--seconds N] [--minutes N] [--json FILE]

          cached     reads of a cached file of 1 GiB, whole and in ranges, at 1 to 64 connections, against nginx (sendfile)
          limited    reads of the cached file with 256 MiB of memory, against nginx with the same limit (needs root)
          cold       the first read of this file through an empty cache, against nginx (proxy_cache, slice) and Varnish
          readers    64 clients that read different files through an empty cache at once, against nginx (slice)
          fill       fetching the file to disk, against curl and aria2c
          downloads  downloading streams of 150 and 600 segments, against yt-dlp, streamlink, aria2c and ffmpeg
          containers remuxing a recording, against ffmpeg; moving an index to the front, against qt-faststart
          replay     1, 64 and 500 clients that replay windows of a recording, against nginx serving the segments as files
          latency    the first byte of a missing range, against the origin itself
          http2      600 segments over one connection of HTTP/2 against 16 of HTTP/1.1, 50 ms away, both by curl
          playlists  parsing playlists of 100,000 segments, against python-m3u8, m3u8-parser and the start-up of ffprobe
          beside     playback and other programs' requests during downloads that saturate a link, against an idle link
          windows    playlists of a recording of 24 hours in three variants, and the cost of a segment (takes minutes)
          soak       200 paced clients for an hour (or --minutes); runs only if selected

        --goals measures only the rows with goals; the last table of each run lists those that were measured.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            if arguments.first == PlaylistProcess.command, arguments.count > 1 {
                return try PlaylistProcess.run(arguments[1], measuresMemory: arguments.count > 2)
            }
            let options = try Options(arguments)
            try await run(options)
        } catch let error as Options.Problem {
            FileHandle.standardError.write(Data("\(error.text)\n".utf8))
            exit(error.isAsked ? 0 : 64)
        } catch {
            FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ options: Options) async throws {
        let machine = try await Machine.describe()
        let report = try Report(path: options.json)
        report.say(machine.text)
        try report.add(machine)
        // The other benchmarks create their own files.
        if options.names.contains(where: ["cached", "limited", "cold", "fill", "latency"].contains) {
            _ = try await Fixtures.shared.random(Fixtures.big)
        }
        let benchmarks: [(name: String, type: any Benchmark.Type)] = [
            ("cached", CachedServing.self), ("limited", LimitedMemory.self), ("cold", ColdPassThrough.self),
            ("readers", ColdReaders.self), ("fill", FillThroughput.self), ("downloads", StreamDownloads.self),
            ("containers", ContainerSpeed.self), ("replay", LiveReplay.self), ("latency", MissLatency.self),
            ("http2", HTTP2Transfers.self), ("playlists", PlaylistSpeed.self),
            ("beside", PlaybackDuringDownloads.self), ("windows", LiveWindows.self), ("soak", Soak.self),
        ]
        for (name, type) in benchmarks where options.names.contains(name) {
            try await type.init(options: options, report: report).run()
        }
        report.sayGoals()
        report.say("\nAll results: \(options.json)")
    }
}
