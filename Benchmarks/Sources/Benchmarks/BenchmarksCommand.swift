import Foundation

/// Runs what is asked for, prints tables, and writes every figure as a line of JSON.
@main
struct BenchmarksCommand {
    static let usage = """
        usage: Benchmarks/run [--only cached,cold,latency,fill,playlists,containers,downloads,beside,replay,windows] [--rounds N] [--seconds N] [--json FILE]

          cached     a file of 1 GiB that is kept, against nginx (sendfile): full and range reads at 1, 16 and 64 connections
          cold       the same file passed through for the first time, against nginx (proxy_cache, slice) and Varnish
          latency    the first byte of a read that isn't kept, against asking the origin
          fill       the file fetched to disk, against curl
          playlists  playlists of 100,000 segments parsed, against python-m3u8, m3u8-parser in Node and ffprobe's start
          containers a recording remuxed, against ffmpeg; an index moved to the front, against qt-faststart
          downloads  a stream of 150 segments, against yt-dlp, streamlink and aria2c
          replay     500 clients that replay windows of a recording, against nginx serving the segments as files
          windows    a recording of a day in three variants: its playlists, and what adding a segment costs (minutes)
          beside     playback and others' requests beside downloads that saturate a link, against the link alone
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
        // The others have files of their own.
        let needsFile = !options.names.allSatisfy(
            ["playlists", "containers", "downloads", "beside", "replay", "windows"].contains)
        if needsFile { _ = try await Fixtures.shared.random(Fixtures.big) }
        if options.names.contains("cached") { try await CachedServing(options: options, report: report).run() }
        if options.names.contains("cold") { try await ColdPassThrough(options: options, report: report).run() }
        if options.names.contains("latency") { try await MissLatency(options: options, report: report).run() }
        if options.names.contains("fill") { try await FillThroughput(options: options, report: report).run() }
        if options.names.contains("playlists") { try await PlaylistSpeed(options: options, report: report).run() }
        if options.names.contains("containers") {
            try await ContainerSpeed(options: options, report: report).run()
        }
        if options.names.contains("downloads") { try await StreamDownloads(options: options, report: report).run() }
        if options.names.contains("beside") {
            try await PlaybackBesideDownloads(options: options, report: report).run()
        }
        if options.names.contains("replay") { try await LiveReplay(options: options, report: report).run() }
        if options.names.contains("windows") { try await LiveWindows(options: options, report: report).run() }
        report.say("\nEvery figure: \(options.json)")
    }
}
