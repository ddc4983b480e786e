import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache cover URL|FILE|ITEM`.
struct CoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover",
        abstract: "Extracts the cover of a song or a film: an embedded picture or a frame.",
        discussion: """
            EXAMPLES:
              mediacache cover https://example.org/song.mp3 -o cover.jpg
              mediacache cover film.mp4 -o cover.jpg
              mediacache cover 'A film' --set poster.png
              mediacache cover https://example.org/film/index.m3u8 --at 12:34 -o scene.jpg
              mediacache cover https://example.org/film/index.m3u8 --set poster.png
              mediacache cover https://example.org/film/index.m3u8 --remove
              mediacache cover song.m4a                             shows the type and size

            The input is a URL, a file, or an ID or title from `list`. Without --at, the stored cover of a URL or item \
            is used if there is one. For an embedded picture (covr in MP4, APIC in ID3), only the index or the tag is \
            read. If there is none, or with --at, ffmpeg decodes a frame if it's installed. A URL or item is read \
            through the cache, and its picture is stored as the cover, which is served at /library/<id>/cover. A frame \
            selected with --at is stored only with --keep.

            OUTPUT:
            --json prints an object: input, type, size, source (stored, embedded or frame), isStored, output; after \
            removal covers and bytes.
            """
    )

    @Argument(
        help: ArgumentHelp("The song or film: a URL, a file, an ID or a title.", valueName: "url-or-file"),
        completion: ServerCompletion.itemsAndFiles, transform: InputArgument.init(parsing:))
    var input: InputArgument?

    @Option(name: .shortAndLong, help: ArgumentHelp("The output file.", valueName: "file"), completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("Decode the frame at this time, such as 754.5 or 12:34.", valueName: "time"),
        transform: TimeArgument.parse)
    var at: Double?

    @Flag(help: "Store the frame selected with --at as the cover of the URL or item.")
    var keep = false

    @Option(help: ArgumentHelp("Store this picture as the cover of the URL or item.", valueName: "picture"))
    var set: String?

    @Flag(help: "Remove the cover of the URL or item.")
    var remove = false

    @Flag(help: "Remove all covers.")
    var removeAll = false

    @Flag(help: "Replace an existing output file.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Origin options") var origin: OriginOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func validate() throws {
        let changes = [set != nil, remove, removeAll].count { $0 }
        if changes > 1 || (changes == 1 && (output != nil || at != nil || keep)) {
            throw ValidationError(
                "--set, --remove and --remove-all can't be combined with each other or with -o, --at and --keep.")
        }
        if keep, at == nil { throw ValidationError("--keep needs --at; other covers are stored anyway.") }
        if removeAll {
            if input != nil { throw ValidationError("--remove-all removes all covers; use --remove for one.") }
            return
        }
        guard let input else { throw ValidationError("Specify a URL, an item or a file.") }
        if input == .standardInput {
            throw ValidationError("Standard input doesn't support random access; specify a file.")
        }
        if input.reference == nil, changes > 0 || keep {
            throw ValidationError("Only URLs and items have stored covers, not files.")
        }
        if let reason = MediaSession.unusedOption(of: origin, for: [input]) { throw ValidationError(reason) }
    }

    func run() async throws {
        if removeAll { return try await removeCovers() }
        guard let input else { return }
        if let set { return try await storePicture(set, of: input) }
        if remove { return try await removeCover(of: input) }
        let target = output.map { OutputTarget(path: $0, overwrites: force) }
        try target?.check()
        let folder = try cache.location.evictable
        let (time, stores) = (at, at == nil || keep)
        let found = try await MediaSession.run(on: [input], origin: origin, cache: cache) { connection in
            let media = try await input.mediaInput(connection?.client)
            let decoder = FrameDecoder(of: media, gateway: connection?.gateway, cacheFolder: folder)
            let job = CoverJob(input: media, of: input.reference, time: time, stores: stores) {
                try await decoder.frame(at: $0, of: media.name)
            }
            let found = try await job.run(connection?.client)
            if let error = found.storageError {
                let reason = CommandFailure(error)?.message ?? "\(error)"
                StandardStreams.printError("mediacache: note: the cover isn't stored: \(Table.printable(reason))")
            }
            if let target { try await OutputFile.write(found.cover.bytes, to: target) }
            return found
        }
        let result = CoverResult(found, input: input.name, output: target?.path)
        try StandardStreams.print(json ? JSONOutput.text(result) : result.text)
    }

    private func storePicture(_ path: String, of input: InputArgument) async throws {
        guard let reference = input.reference else { return }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.failed, "the picture “\(path)” can't be read; check its path and permissions")
        }
        guard data.count <= Cover.largest, let cover = Cover(recognizing: Array(data)) else {
            throw CommandFailure(
                .failed,
                "“\(path)” can't be used as a cover; use a JPEG, PNG, GIF, WebP, AVIF or HEIC picture of at most "
                    + "\(Cover.largest >> 20) MiB")
        }
        let isStored = try await Connection.use(try HostSettings(cache: cache, origin: origin, url: input.url)) {
            try await $0.client.setCover(cover, of: reference)
        }
        guard isStored else {
            throw CommandFailure(.failed, "\(input.name) isn't cached; play it or download it with `get` first")
        }
        let found = CoverJob.Found(cover: cover, source: .stored, isStored: true)
        let result = CoverResult(found, input: input.name, output: nil)
        try StandardStreams.print(json ? JSONOutput.text(result) : "Stored “\(path)” as the cover of \(input.name).")
    }

    private func removeCover(of input: InputArgument) async throws {
        guard let reference = input.reference else { return }
        let settings = try HostSettings(cache: cache, origin: origin, url: input.url)
        let asset = try await Connection.use(settings) { connection in
            let asset = try await connection.client.asset(of: reference)
            if let asset { try await connection.client.removeCover(of: asset.id) }
            return asset
        }
        let removed = asset?.cover.map { CoverUsage(covers: 1, bytes: Int64($0.size)) }
        try printRemoved(removed ?? CoverUsage(covers: 0, bytes: 0))
    }

    private func removeCovers() async throws {
        try printRemoved(
            try await Connection.use(try HostSettings(cache: cache)) { try await $0.client.removeCovers() })
    }

    private func printRemoved(_ usage: CoverUsage) throws {
        let count = usage.covers.counted("cover")
        try StandardStreams.print(json ? JSONOutput.text(usage) : "Removed \(count), \(ByteCount(usage.bytes)).")
    }
}
