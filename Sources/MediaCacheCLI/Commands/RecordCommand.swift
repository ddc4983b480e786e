import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache record URL --name NAME`.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records a live stream as a channel, of which any window of time can be replayed.",
        discussion: """
              mediacache record https://example.org/live.m3u8 --name news
              mediacache record https://example.org/live.m3u8 --name news --keep 24h --max-size 50GB --detach
              mediacache record https://example.org/live.m3u8 --name match --for 2h --variant all
              mediacache record https://example.org/live.m3u8 --name late --until 2026-01-31T23:00:00+01:00
              mediacache export news --from -3600 --to now -o hour.mp4

            It goes on until the stream ends, for as long as --for or --until says, or until Ctrl-C; then it's an asset \
            of the library, but after Ctrl-C, when the same command goes on with it. While it runs, and under `serve` \
            at any time, it plays at /live/NAME/index.m3u8, and a window of it with \
            ?begintime=<time>&endtime=<time>: seconds or milliseconds since 1970, ISO 8601, or -<seconds> for so long \
            ago.
            Without limits all of it is kept. --keep, --max-size, --keep-segments and --keep-free give up the oldest; \
            `channels keep` changes them.
            What can't be had becomes a gap, is named, and the exit code is 2. A stream that can't be reached is waited \
            for.
            Where `serve` owns the folder, it records: --detach returns at once, and Ctrl-C stops what this command \
            began. `channels` lists, stops, starts and deletes.
            --json prints a line for each event: an object with event (state, progress, gap, result), channel, url, \
            liveURL, state (stopped, starting, recording, waiting, ended), reason, edge, kept (from, to, in \
            milliseconds since 1970), seconds, bytes, segments, rate, gaps, gapSeconds; of a gap track, number, start, \
            duration, reason. The last is the result: complete, gapList, error.
            Exit code 0 if it ended without gaps; 1 if nothing came; 2 if there are gaps, or if it was stopped before \
            its end; 130 after Ctrl-C.
            """
    )

    @Argument(help: "The URL of a multivariant or media playlist.", transform: URLArgument.parse)
    var url: ResourceURL

    @Option(
        help: "What to call it: up to 64 letters, digits, dots, hyphens and underscores.",
        transform: ChannelArgument.parse)
    var name: ChannelName

    @OptionGroup var tracks: TrackOptions
    @OptionGroup var retention: RetentionOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Record so long: 90, 1:30:00, 2h.", valueName: "time"), transform: TimeArgument.parse)
    var lasts: Double?

    @Option(
        help: ArgumentHelp("Record until then: ISO 8601, or seconds since 1970.", valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var until: MomentArgument?

    @Flag(help: "Go on when the stream says that it has ended: its encoder may start again.")
    var outlast = false

    @Flag(help: "Leave it to the process that owns the cache folder, and return at once.")
    var detach = false

    @Flag(name: .shortAndLong, help: "Show no progress.")
    var quiet = false

    @Flag(help: "Print what happens as JSON, a line each.")
    var json = false

    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if lasts != nil, until != nil { throw ValidationError("--for and --until both say when it ends; give one.") }
        if let lasts, lasts <= 0 { throw ValidationError("--for 0 records nothing.") }
    }

    func run() async throws {
        let session = RecordSession(
            name: name, url: url,
            addition: ChannelAddition(
                name: name.rawValue, url: "\(url)", variant: tracks.variant?.text, audio: tracks.audio?.text,
                subtitles: tracks.subtitles?.text, endsAt: try end, endsWithStream: !outlast),
            retention: retention, header: origin.header)
        guard !detach else { return try await leave(session) }
        let settings = try HostSettings(cache: cache, origin: origin, url: url)
        let display = RecordDisplay(json ? .json : quiet ? .quiet : .text)
        let interruption = Interruption()
        let outcome = try await OwnerEnded.surviving(settings) { connection in
            let outcome = try await session.run(through: connection, showing: display, until: interruption)
            // So that Ctrl-C ends the waiting.
            _ = try await interruption.cancelling { await connection.waitForOthers() }
            return outcome
        }
        try outcome.report(asJSON: json)
    }

    /// When it's to end; nil for no such time.
    private var end: Date? {
        get throws {
            // The API tells whole seconds.
            if let lasts { return Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + lasts).rounded(.up)) }
            guard let until else { return nil }
            let end = Date(nanosecondsSinceEpoch: try until.nanoseconds(now: MomentArgument.now))
            guard end > Date() else { throw CommandFailure(.usage, "--until \(until.text) is over already") }
            return end
        }
    }

    private func leave(_ session: RecordSession) async throws {
        guard let connection = try await Connection.running(at: try cache.location) else {
            throw CommandFailure(
                .failed, "nobody owns the cache folder, so nobody would record; start `mediacache serve` first")
        }
        let record: ChannelRecord
        do {
            record = try await session.begin(connection.client).now
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
        try StandardStreams.print(
            json ? JSONOutput.text(record) : "Records \(record.name); it plays at \(record.liveURL)")
    }
}
