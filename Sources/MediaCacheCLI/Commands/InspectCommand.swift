import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheServer
import MediaLibrary

/// `mediacache inspect URL|FILE`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Describes a playlist or a media file, and lists its errors.",
        discussion: """
            EXAMPLES:
              mediacache inspect https://example.org/live/index.m3u8
              mediacache inspect index.m3u8 --base https://example.org/live/
              mediacache inspect low.m3u8 --multivariant index.m3u8 --define token=x
              mediacache inspect --strict index.m3u8 && echo valid
              curl -s https://example.org/a.m3u8 | mediacache inspect -
              mediacache inspect --json a.m3u8 | jq -r '.segments[].uri'
              mediacache inspect film.mp4
              mediacache inspect https://example.org/film.mp4
              mediacache inspect 'A film'
              mediacache inspect --packets segment7.ts > packets.csv
              mediacache inspect segment7.m4s --initialization init.mp4

            The format is detected by content: HLS playlists; MP4, MOV and fragmented MP4; MPEG transport streams; \
            packed audio (AAC, AC-3, Enhanced AC-3, MP3).

            Playlists: a URL that ends in .m3u8 or .m3u is fetched from its origin, without the cache. \
            References are resolved against the playlist's URL after redirects, or against --base. Variables that the \
            playlist imports (EXT-X-DEFINE with IMPORT) come from --define, then from --multivariant.
            Each finding has a line and a rule, which begins with its section of RFC 8216bis. Findings don't change \
            the exit code. With --strict, the first violation of the RFC is an error. For input that is neither a \
            playlist nor a supported media file, the command describes its content and exits with code 1.

            OUTPUT:
            --json prints an object. All keys are always present; absent values are null, an empty list or an empty \
            object.

            Playlists have
            \(indented(PlaylistInspection.keys))
            Media playlists also have
            \(indented(PlaylistInspection.mediaPlaylistKeys))
            Multivariant playlists also have
            \(indented(PlaylistInspection.multivariantPlaylistKeys))
            Line 0 of a finding is the whole playlist. The top-level key parts contains the partial segments of the \
            upcoming segment. Durations are seconds. Values that the position in the playlist implies, such as \
            sequence numbers, times and offsets, are computed. Attributes outside the RFC are in otherAttributes, by \
            name.

            Media: a URL, or an ID or title from `list`, is read through the cache, by ranges. Only the index of an MP4 \
            is read; other formats are read completely. Codecs are in the format of HLS's CODECS attribute (RFC 6381).
            --packets prints CSV with a line for each sample in the container's order: \
            track,pts,dts,duration,size,sync,crc32. Times are seconds on the container's timeline with six decimals, \
            after edit lists and 33-bit wraps are applied. sync is 1 for samples at which decoding can start. crc32 is \
            the checksum of the sample's bytes.
            --json has
              kind (mp4, transportStream or packedAudio), size, duration, bitRate,
              fastStart, fragmented, packetSize, packedFormat, timestamp,
              tracks (index, id, kind, codec, formats (codec, sampleEntry, width,
                height, sampleRate, channels, channelLayout, encryption),
                timescale, start, duration, frameRate, language, samples,
                syncSamples, hiddenSamples, bytes, bitRate),
              artwork (type, size), protectionSystems,
              boxes (type, offset, size, version, flags, boxes),
              diagnostics (code, message, offset, track), error
            """
    )

    /// Returns keys in lines of at most 72 columns, indented by two columns. Continuation lines of a key are indented
    /// by four.
    private static func indented(_ keys: [String]) -> String {
        var lines: [String] = []
        var depth = 0
        for word in keys.joined(separator: ", ").split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= 72 {
                lines[lines.count - 1] += " \(word)"
            } else {
                lines.append((depth > 0 ? "    " : "  ") + word)
            }
            depth += word.count { $0 == "(" } - word.count { $0 == ")" }
        }
        return lines.joined(separator: "\n")
    }

    @Argument(
        help: ArgumentHelp(
            "The input: a URL, a file, an ID or a title, or - for a playlist on standard input.",
            valueName: "url-or-file"),
        completion: ServerCompletion.itemsAndFiles, transform: InputArgument.init(parsing:))
    var source: InputArgument

    @Option(
        help: ArgumentHelp(
            "The URL that references resolve against. (default: the playlist's URL)", valueName: "url"),
        transform: URLArgument.parse)
    var base: ResourceURL?

    @Option(
        help: ArgumentHelp(
            "The multivariant playlist whose variables can be imported.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var multivariant: InputArgument?

    @Option(
        help: ArgumentHelp("A variable that can be imported. Repeatable.", valueName: "name=value"),
        transform: VariableArgument.init(parsing:))
    var define: [VariableArgument] = []

    @Flag(help: "Fail at the first violation of RFC 8216bis.")
    var strict = false

    @Flag(help: "List the samples of a media file as CSV.")
    var packets = false

    @Option(
        help: ArgumentHelp(
            "The media initialization section for a segment of fragmented MP4.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var initialization: InputArgument?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        if source == .standardInput, multivariant == .standardInput {
            throw ValidationError("Only one of the two playlists can be standard input.")
        }
        if packets, json { throw ValidationError("--packets prints CSV, --json prints JSON; use one of them.") }
        if let option = playlistOptions.first, packets || initialization != nil {
            throw ValidationError("\(option) applies to playlists; --packets and --initialization apply to media.")
        }
        let sources = [source, multivariant, initialization].compactMap(\.self)
        if let reason = MediaSession.unusedOption(of: origin, for: sources) { throw ValidationError(reason) }
    }

    /// The given options that apply only to playlists.
    private var playlistOptions: [String] {
        [
            base.map { _ in "--base" }, multivariant.map { _ in "--multivariant" }, define.isEmpty ? nil : "--define",
            strict ? "--strict" : nil,
        ]
        .compactMap(\.self)
    }

    private var hasPlaylistExtension: Bool {
        guard let url = source.url else { return false }
        return MediaType.isPlaylist(pathExtension: url.pathExtension.lowercased())
    }

    func run() async throws {
        // A URL with the extension of a playlist is fetched as one, without the cache.
        if !hasPlaylistExtension, try await printContainer() { return }
        if packets || initialization != nil {
            if hasPlaylistExtension, try await printContainer() { return }
            throw CommandFailure(
                .failed,
                "\(source.name) isn't a supported media file; run inspect without --packets and --initialization")
        }
        let inspection: PlaylistInspection
        do {
            inspection = try await inspectPlaylist()
        } catch let error as MediaJobError where error.code == .mediaInsteadOfPlaylist && hasPlaylistExtension {
            guard try await printContainer() else { throw error }
            return
        }
        try print(inspection.report, inspection.record, dropped: inspection.droppedDiagnostics)
    }

    /// Prints the source if it's a container, and returns whether it is.
    private func printContainer() async throws -> Bool {
        // With options for playlists, the input must be a playlist.
        guard playlistOptions.isEmpty, source != .standardInput else { return false }
        let (source, initialization) = (source, initialization)
        let inputs = [source, initialization].compactMap(\.self)
        let printsPackets = packets
        let (isContainer, inspection) = try await MediaSession.run(
            on: inputs, origin: origin, cache: cache
        ) { connection -> (Bool, ContainerInspection?) in
            let inspector = MediaInspector(gateway: connection?.gateway)
            let source = try await source.mediaInput(connection?.client)
            let initialization = try await initialization?.mediaInput(connection?.client)
            if printsPackets {
                return (
                    try await inspector.packets(
                        of: source, initialization: initialization, write: StandardStreams.write), nil
                )
            }
            let inspection = try await inspector.container(source, initialization: initialization)
            return (inspection != nil, inspection)
        }
        if let inspection {
            try print(inspection.report, inspection.record, dropped: inspection.droppedDiagnostics)
        }
        return isContainer
    }

    private func print(_ report: InspectionReport, _ record: some Encodable, dropped: Int) throws {
        guard json else { return try StandardStreams.print(report.text) }
        if dropped > 0 { StandardStreams.printError("mediacache: note: \(dropped) more findings are omitted") }
        try StandardStreams.print(JSONOutput.text(record))
    }

    func inspectPlaylist() async throws -> PlaylistInspection {
        try PlaylistInspection(
            try await body(of: source), base: base, variables: try await variables(), isStrict: strict)
    }

    /// Returns the variables that the playlist can import.
    private func variables() async throws -> [String: String] {
        var variables: [String: String] = [:]
        if let multivariant {
            let playlist = try PlaylistInspection(try await body(of: multivariant))
            guard playlist.isMultivariant else {
                throw CommandFailure(
                    .failed, "\(playlist.name) is a media playlist; variables are imported from multivariant playlists")
            }
            variables = playlist.variables
        }
        for variable in define { variables[variable.name] = variable.value }
        return variables
    }

    private func body(of source: InputArgument) async throws -> PlaylistBody {
        switch source {
        case .file(let path): return try await PlaylistBody(path: path)
        case .standardInput: return try await PlaylistBody(path: nil)
        case .url(let url): return try await fetch(url)
        case .item(let reference): return try await fetch(try await reference.originURL(in: cache))
        }
    }

    private func fetch(_ url: ResourceURL) async throws -> PlaylistBody {
        // The cache folder isn't opened; only the settings for origins apply.
        var cache = cache
        cache.cache = cache.cache ?? "/"
        let settings = try HostSettings(cache: cache, origin: origin, url: url)
        let client = try CurlOrigin(settings: settings.originSettings)
        let fetch = PlaylistFetch(origin: client, settings: settings.storeConfiguration.transfers)
        do {
            let body = try await Interruption().cancelling { try await fetch.body(of: url) }
            await client.shutdown()
            guard let body else { throw CommandFailure(.interrupted, "interrupted") }
            return body
        } catch {
            await client.shutdown()
            throw error
        }
    }
}
