import ArgumentParser
import HLS
import MediaCache
import MediaCacheAPI
import MediaCacheServer

/// `mediacache inspect URL|FILE`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Reports a playlist or a file of media: what it is, what is in it, what is wrong with it.",
        discussion: """
              mediacache inspect https://example.org/live/index.m3u8
              mediacache inspect index.m3u8 --base https://example.org/live/
              mediacache inspect low.m3u8 --multivariant index.m3u8 --define token=x
              mediacache inspect --strict index.m3u8 && echo by the book
              curl -s https://example.org/a.m3u8 | mediacache inspect -
              mediacache inspect --json a.m3u8 | jq -r '.segments[].uri'
              mediacache inspect film.mp4
              mediacache inspect https://example.org/film.mp4
              mediacache inspect --packets segment7.ts > packets.csv
              mediacache inspect segment7.m4s --initialization init.mp4

            What lies there is told by its content, never by its name: HLS playlists; MP4, MOV and fragmented MP4; MPEG \
            transport streams; packed audio (AAC, AC-3, Enhanced AC-3, MP3).

            Playlists: one whose URL ends in .m3u8 or .m3u is fetched from its origin, redirects followed; nothing is \
            looked up in a cache or kept. References \
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

            Media: at a URL it's read through the cache, by ranges. What is kept isn't asked for again; of an MP4 only \
            the index is read, of anything else all. Codecs are named as in HLS's CODECS (RFC 6381).
            --packets prints CSV, a line for each sample in the container's order: \
            track,pts,dts,duration,size,sync,crc32. Times are seconds of the container's own clock with six decimals, \
            edit lists and 33-bit wraps applied; sync is 1 where decoding can start; crc32 is of the sample's bytes.
            --json has
              kind (mp4, transportStream or packedAudio), size, duration, bitRate,
              fastStart, fragmented, packetSize, packedFormat, timestamp,
              tracks (index, id, kind, codec, formats (codec, sampleEntry, width,
                height, sampleRate, channels, channelLayout, encryption),
                timescale, start, duration, frameRate, language, samples,
                syncSamples, hiddenSamples, bytes, bitRate),
              artwork (type, size), protectionSystems,
              boxes (type, offset, size, version, flags, boxes),
              diagnostics (code, message, offset, track), error.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "What to look at: a URL, a file, or - for a playlist on standard input.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var source: InputArgument

    @Option(
        help: ArgumentHelp(
            "The URL that references resolve against. (default: where a URL's playlist came from)", valueName: "url"),
        transform: URLArgument.parse)
    var base: ResourceURL?

    @Option(
        help: ArgumentHelp("The multivariant playlist whose variables may be imported.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var multivariant: InputArgument?

    @Option(
        help: ArgumentHelp("A variable that may be imported. Can be repeated.", valueName: "name=value"),
        transform: VariableArgument.init(parsing:))
    var define: [VariableArgument] = []

    @Flag(help: "Fail at the first thing that RFC 8216bis forbids.")
    var strict = false

    @Flag(help: "List the samples of a file of media as CSV.")
    var packets = false

    @Option(
        help: ArgumentHelp(
            "The media initialization section of a segment of fragmented MP4.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var initialization: InputArgument?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        if source == .standardInput, multivariant == .standardInput {
            throw ValidationError("Standard input can be one of the two playlists.")
        }
        if packets, json { throw ValidationError("--packets prints CSV, --json JSON; give one of them.") }
        if let option = playlistOptions.first, packets || initialization != nil {
            throw ValidationError("\(option) is about playlists; --packets and --initialization are about media.")
        }
        let sources = [source, multivariant, initialization].compactMap(\.self)
        if let reason = MediaWork.unheeded(origin, by: sources) { throw ValidationError(reason) }
    }

    /// The options given that only a playlist can heed.
    var playlistOptions: [String] {
        [
            base.map { _ in "--base" }, multivariant.map { _ in "--multivariant" }, define.isEmpty ? nil : "--define",
            strict ? "--strict" : nil,
        ]
        .compactMap(\.self)
    }

    func run() async throws {
        // A URL that is called like a playlist is asked as one first: past the cache.
        if !isCalledPlaylist, try await reportContainer() { return }
        if packets || initialization != nil { return try await reportContainerOnly() }
        let inspection: Inspection
        do {
            inspection = try await self.inspection()
        } catch let failure as CommandFailure where failure.foundMedia && isCalledPlaylist {
            guard try await reportContainer() else { throw failure }
            return
        }
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

    private func body(of source: InputArgument) async throws -> InspectedBody {
        switch source {
        case .file(let path): return try await PlaylistFile(path: path).body()
        case .standardInput: return try await PlaylistFile(path: nil).body()
        case .url(let url): return try await fetch(url)
        }
    }

    private func fetch(_ url: ResourceURL) async throws -> InspectedBody {
        // No folder is opened: of these settings only those of origins count.
        var cache = cache
        cache.cache = cache.cache ?? "/"
        let settings = try HostSettings(cache: cache, origin: origin, url: url)
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
