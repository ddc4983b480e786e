import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache record URL --name NAME`.
struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Records a live stream as a channel whose time windows can be replayed.",
        discussion: """
            EXAMPLES:
              mediacache record https://example.org/news/live.m3u8
              mediacache record https://example.org/live.m3u8 --name news
              mediacache record https://example.org/a.m3u8 --name news --keep 24h --detach
              mediacache record https://example.org/live.m3u8 --name match --for 2h
              mediacache record https://example.org/live.m3u8 --name late --until 23:00
              mediacache export news --from -3600 --to now -o hour.mp4

            The recording ends with the stream, at the time set by --for or --until, or on Ctrl-C. It then becomes an \
            asset of the library, except after Ctrl-C: run the same command to continue. During the recording, and \
            whenever `serve` runs, the channel plays at /live/NAME/index.m3u8. Appending \
            ?begintime=<time>&endtime=<time> plays a window. Times are seconds or milliseconds since 1970, ISO 8601, \
            or -<seconds> for seconds ago.
            Without limits, the whole recording is stored. --keep, --max-size, --keep-segments and --keep-free remove \
            the oldest segments; `channels keep` changes these limits.
            Unavailable segments become gaps; they are listed, and the exit code is 2. While the stream can't be \
            reached, the recording waits.
            If `serve` owns the folder, `serve` records. --detach then returns at once, and Ctrl-C stops only a \
            recording that this command started. `channels` lists, stops, starts and deletes channels.

            OUTPUT:
            --json prints an object for each event, one per line: event (state, progress, gap, result), channel, url, \
            liveURL, state (stopped, starting, recording, waiting, ended), reason, edge, recordedRanges (from, to, in \
            milliseconds since 1970), seconds, bytes, segments, rate, gaps, gapSeconds; for a gap track, number, \
            start, duration, reason. The last event is the result: complete, gapList, error.
            Exit codes: 0 for a recording without gaps; 1 if nothing was recorded; 2 for gaps, or if the recording was \
            stopped before its end; 130 after Ctrl-C.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The URL of a multivariant or media playlist, or the ID or title of a played stream.", valueName: "url"),
        completion: ServerCompletion.titles, transform: AssetReference.init(parsing:))
    var media: AssetReference

    @Option(
        help: ArgumentHelp(
            "The name of the channel: up to 64 ASCII letters, digits, dots, hyphens and underscores, without a dot at "
                + "the beginning.",
            discussion: "Default: a name derived from the URL."),
        transform: ChannelArgument.parse)
    var name: ChannelName?

    @OptionGroup var tracks: TrackOptions
    @OptionGroup var retention: RetentionOptions

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Record for this duration: 90, 1:30:00, 2h.", valueName: "time"),
        transform: TimeArgument.parse)
    var duration: Double?

    @Option(
        help: ArgumentHelp(
            "Record until this time: a time of day such as 23:00, ISO 8601, or seconds or milliseconds since 1970.",
            valueName: "moment"),
        transform: MomentArgument.init(parsing:))
    var until: MomentArgument?

    @Flag(help: "Continue after the end of the stream, in case its encoder restarts.")
    var outlast = false

    @Flag(help: "Leave the recording to the process that owns the cache folder, and return at once.")
    var detach = false

    @Flag(name: .shortAndLong, help: "Don't show progress.")
    var quiet = false

    @Flag(help: "Print events as JSON, one per line.")
    var json = false

    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if duration != nil, until != nil { throw ValidationError("--for and --until can't be combined.") }
        if let duration, duration <= 0 { throw ValidationError("--for must be more than 0.") }
    }

    func run() async throws {
        let url = try await media.originURL(in: cache)
        let name = name ?? ChannelName(derivedFrom: url)
        let session = RecordSession(
            name: name, url: url,
            addition: ChannelAddition(
                name: name.rawValue, url: "\(url)", variant: tracks.variant?.text, audio: tracks.audio?.text,
                subtitles: tracks.subtitles?.text, endsAt: try end, endsWithStream: !outlast),
            retention: retention, header: origin.header)
        guard !detach else { return try await recordDetached(session) }
        let settings = try HostSettings(cache: cache, origin: origin, url: url)
        let display = RecordDisplay(json ? .json : quiet ? .quiet : .text)
        let interruption = Interruption()
        let outcome = try await OwnerEnded.retryingOnOwnerExit(settings) { connection in
            let outcome = try await session.run(through: connection, showing: display, until: interruption)
            // Ctrl-C ends the wait for other commands.
            _ = try await interruption.cancelling { await connection.waitForOtherDownloads() }
            return outcome
        }
        try outcome.report(asJSON: json)
    }

    private var end: Date? {
        get throws {
            // Dates in the API have whole seconds.
            if let duration {
                return Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + duration).rounded(.up))
            }
            guard let until else { return nil }
            let end = Date(nanosecondsSinceEpoch: try until.nanoseconds(now: MomentArgument.now, isFuture: true))
            guard end > Date() else { throw CommandFailure(.usage, "--until \(until.text) is in the past") }
            return end
        }
    }

    private func recordDetached(_ session: RecordSession) async throws {
        guard let connection = try await Connection.running(at: try cache.location) else {
            throw CommandFailure(
                .failed, "no server is running for this cache folder; start `mediacache serve` first")
        }
        let record = try await session.begin(connection.client).now
        try StandardStreams.print(
            json ? JSONOutput.text(record) : "Recording \(record.name); it plays at \(record.liveURL)")
    }
}
