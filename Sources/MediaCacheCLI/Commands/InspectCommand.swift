import ArgumentParser
import HLS
import MediaCache
import MediaCacheServer

/// `mediacache inspect URL|FILE`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Reports an HLS playlist: what it is, what is in it, what is wrong with it.",
        discussion: """
              mediacache inspect https://example.org/live/index.m3u8
              mediacache inspect index.m3u8 --base https://example.org/live/
              mediacache inspect low.m3u8 --multivariant index.m3u8 --define token=x
              mediacache inspect --strict index.m3u8 && echo by the book
              curl -s https://example.org/a.m3u8 | mediacache inspect -
              mediacache inspect --json a.m3u8 | jq -r '.segments[].uri'

            A URL is fetched from its origin, redirects followed; nothing is looked up in a cache or kept. References \
            are shown resolved against where the playlist came from in the end, or against --base; without either \
            as they are written.
            What the playlist imports (EXT-X-DEFINE with IMPORT) is taken from --multivariant, the multivariant playlist \
            that names it, and from --define, which goes first.
            Findings name the line and the rule, which begins with its section of RFC 8216bis. They don't change the \
            exit code; with --strict the first thing that the RFC forbids does, and is all that is said. What is no \
            playlist ends with exit code 1 and one line that says what it is.

            --json prints one object. Every key is always there; what is absent is null, or an empty list or object.

            Both kinds have
              kind (media or multivariant), version, independentSegments,
              start (timeOffset, precise), variables (values by name),
              unknownTags (line, tag, value),
              diagnostics (line, severity, rule, message), line 0 being the whole
            and media playlists
              targetDuration, mediaSequence, discontinuitySequence, playlistType,
              endList, iFramesOnly, partTarget,
              serverControl (canSkipUntil, canSkipDateRanges, holdBack,
                partHoldBack, canBlockReload),
              segments (uri, duration, title, mediaSequence,
                discontinuitySequence, discontinuity, byteRange (length, offset),
                programDateTime, map (uri, byteRange), keys (method, uri, iv,
                keyFormat, keyFormatVersions), gap, bitrate, parts (uri,
                duration, independent, byteRange, gap)), parts,
              dateRanges, skip, preloadHints, renditionReports
            and multivariant playlists
              variants and iFrameVariants (uri, bandwidth, averageBandwidth,
                codecs, resolution (width, height), frameRate, hdcpLevel,
                videoRange, score, audio, video, subtitles, closedCaptions,
                pathwayID and the tag's other attributes),
              renditions (type, groupID, name, language, assocLanguage, uri,
                default, autoselect, forced, instreamID, characteristics,
                channels and the tag's other attributes),
              sessionData, sessionKeys, contentSteering.
            The parts that come after the last segment are those of one that isn't there yet: they stand in parts, \
            beside segments.
            Durations are seconds. Sequence numbers, times, bit rates and offsets that follow from other segments \
            are filled in. Attributes that the RFC doesn't define are in otherAttributes, by name.
            """
    )

    @Argument(
        help: ArgumentHelp("The playlist: a URL, a file, or - for standard input.", valueName: "url-or-file"),
        transform: InspectionSource.init(parsing:))
    var source: InspectionSource

    @Option(
        help: ArgumentHelp(
            "The URL that references resolve against. (default: where a URL's playlist came from)", valueName: "url"),
        transform: URLArgument.parse)
    var base: ResourceURL?

    @Option(
        help: ArgumentHelp("The multivariant playlist whose variables may be imported.", valueName: "url-or-file"),
        transform: InspectionSource.init(parsing:))
    var multivariant: InspectionSource?

    @Option(
        help: ArgumentHelp("A variable that may be imported. Can be repeated.", valueName: "name=value"),
        transform: VariableArgument.init(parsing:))
    var define: [VariableArgument] = []

    @Flag(help: "Fail at the first thing that RFC 8216bis forbids.")
    var strict = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var origin: OriginOptions

    func validate() throws {
        if source == .standardInput, multivariant == .standardInput {
            throw ValidationError("Standard input can be one of the two playlists.")
        }
        let sources = [source] + (multivariant.map { [$0] } ?? [])
        let isAnyAsked = sources.contains { if case .url = $0 { true } else { false } }
        if isAnyAsked { return }
        let given = (origin.header.isEmpty ? [] : ["--header"]) + origin.given
        if let option = given.first {
            throw ValidationError("\(option) is about asking an origin; \(source.name) is read from this machine.")
        }
    }

    func run() async throws {
        let inspection = try await inspection()
        guard json else {
            try StandardStreams.print(PlaylistReport.text(inspection))
            return
        }
        let dropped = inspection.parsed.droppedDiagnostics
        if dropped > 0 { StandardStreams.printError("mediacache: note: \(dropped) more findings are left out") }
        try StandardStreams.print(JSONOutput.text(PlaylistRecord(inspection)))
    }

    /// The playlist, read as the options say.
    func inspection() async throws -> Inspection {
        try Inspection(try await body(of: source), base: base, variables: try await variables(), isStrict: strict)
    }

    /// What may be imported.
    private func variables() async throws -> [String: String] {
        var variables: [String: String] = [:]
        if let multivariant {
            let playlist = try Inspection(try await body(of: multivariant))
            guard playlist.parsed.playlist.kind == .multivariant else {
                throw CommandFailure(.failed, "\(playlist.name) is a media playlist; nothing is imported from one")
            }
            variables = playlist.parsed.variables
        }
        for variable in define { variables[variable.name] = variable.value }
        return variables
    }

    private func body(of source: InspectionSource) async throws -> InspectedBody {
        switch source {
        case .file(let path): return try await PlaylistFile(path: path).body()
        case .standardInput: return try await PlaylistFile(path: nil).body()
        case .url(let url): return try await fetch(url)
        }
    }

    private func fetch(_ url: ResourceURL) async throws -> InspectedBody {
        // No folder is opened: of these settings only those of origins count.
        let settings = try HostSettings(cache: CacheOptions.parse(["--cache", "/"]), origin: origin, url: url)
        let client = try AsyncHTTPClientOrigin(settings: settings.originSettings)
        let fetch = PlaylistFetch(origin: client, settings: settings.storeConfiguration.transfers)
        let interruption = Interruption()
        do {
            let body = try await interruption.cancelling { try await fetch.body(of: url) }
            await client.shutdown()
            guard let body else { throw CommandFailure(.interrupted, "interrupted") }
            return body
        } catch {
            await client.shutdown()
            throw error
        }
    }
}
