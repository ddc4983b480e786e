import ArgumentParser
import Foundation
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// `mediacache cover URL|FILE`.
struct CoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cover",
        abstract: "Takes the picture of a song or a film: the one embedded in it, or one of its frames.",
        discussion: """
              mediacache cover https://example.org/song.mp3 -o cover.jpg
              mediacache cover film.mp4 -o cover.jpg
              mediacache cover https://example.org/film/index.m3u8 --at 12:34 -o scene.jpg
              mediacache cover https://example.org/film/index.m3u8 --set poster.png
              mediacache cover https://example.org/film/index.m3u8 --remove
              mediacache cover song.m4a                              tells what there is

            Embedded pictures (covr of MP4, APIC of ID3) are read natively, and nothing else of the file but its index \
            or tag. Where there is none, or with --at, ffmpeg takes a frame if it's installed. A URL is read through \
            the cache, and the picture is kept with it from then on: it's what comes the next time, and what pages are \
            shown at /library/<id>/cover. One of --at is kept with --keep.
            --json prints one object: input, type, size, source (kept, embedded or frame), kept, output.
            """
    )

    @Argument(
        help: ArgumentHelp("The song or film: a URL or a file.", valueName: "url-or-file"),
        transform: InputArgument.init(parsing:))
    var input: InputArgument?

    @Option(name: .shortAndLong, help: ArgumentHelp("The file to make.", valueName: "file"), completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp("Take a frame at this moment, such as 754.5 or 12:34.", valueName: "time"),
        transform: TimeArgument.parse)
    var at: Double?

    @Flag(help: "Keep the frame of --at with the URL, in place of the picture that it has.")
    var keep = false

    @Option(
        help: ArgumentHelp("Keep this picture with the URL, in place of the one that it has.", valueName: "picture"))
    var set: String?

    @Flag(help: "Remove the picture that is kept with the URL.")
    var remove = false

    @Flag(help: "Remove the pictures that are kept with all URLs.")
    var removeAll = false

    @Flag(help: "Replace the output file if it's there.")
    var force = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var origin: OriginOptions
    @OptionGroup var cache: CacheOptions

    func validate() throws {
        let changes = [set != nil, remove, removeAll].count { $0 }
        if changes > 1 || (changes == 1 && (output != nil || at != nil || keep)) {
            throw ValidationError("--set, --remove and --remove-all do one thing alone.")
        }
        if keep, at == nil { throw ValidationError("--keep is for a frame of --at; other pictures are kept anyway.") }
        if removeAll {
            if input != nil { throw ValidationError("--remove-all is for all URLs; --remove for one.") }
            return
        }
        guard let input else { throw ValidationError("Name a URL or a file.") }
        if input == .standardInput { throw ValidationError("Standard input can't be read at any place; name a file.") }
        if !input.isURL, changes > 0 || keep { throw ValidationError("Pictures are kept with URLs, not with files.") }
        if let reason = MediaWork.unheeded(origin, by: [input]) { throw ValidationError(reason) }
    }

    func run() async throws {
        if removeAll { return try await printRemoved() }
        guard let input else { return }
        if let set { return try await keepPicture(at: set, input) }
        if remove { return try await removePicture(input) }
        let target = output.map { OutputTarget(path: $0, overwrites: force) }
        try target?.check()
        let job = CoverJob(input: input, time: at, keeps: at == nil || keep, cacheFolder: try cache.location.evictable)
        let result = try await MediaWork.run(on: [input], origin: origin, cache: cache) { opening in
            let found = try job.run(opening)
            if let target {
                let file = try OutputFile(target)
                try found.cover.bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in try file.write(bytes) }
                try file.place()
            }
            return CoverResult(found, input: input.name, output: target?.path)
        }
        try StandardStreams.print(json ? JSONOutput.text(result) : result.text)
    }

    private func keepPicture(at path: String, _ input: InputArgument) async throws {
        guard let url = input.url else { return }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(.failed, "“\(path)” can't be read")
        }
        guard data.count <= Cover.largest, let cover = Cover(recognising: Array(data)) else {
            throw CommandFailure(.failed, "“\(path)” is neither JPEG, PNG, GIF, WebP, AVIF nor HEIC, or too large")
        }
        let isKept = try await Connection.use(try HostSettings(cache: cache, origin: origin, url: url)) {
            try await CoverJob.keep(cover, of: url, $0.client)
        }
        guard isKept else { throw Self.nothingKept(of: input) }
        let found = CoverJob.Found(cover: cover, source: .kept, isKept: true)
        let result = CoverResult(found, input: input.name, output: nil)
        try StandardStreams.print(json ? JSONOutput.text(result) : "Kept “\(path)” with \(input.name).")
    }

    private func removePicture(_ input: InputArgument) async throws {
        guard let url = input.url else { return }
        let asset = try await Connection.use(try HostSettings(cache: cache, origin: origin, url: url)) { connection in
            let asset = try await connection.client.asset(for: url)
            if let asset { try await connection.client.removeCover(of: asset.id) }
            return asset
        }
        let had = asset?.cover.map { CoverUsage(covers: 1, bytes: Int64($0.size)) } ?? CoverUsage(covers: 0, bytes: 0)
        try printRemoved(had)
    }

    private func printRemoved() async throws {
        try printRemoved(
            try await Connection.use(try HostSettings(cache: cache)) { try await $0.client.removeCovers() })
    }

    private func printRemoved(_ usage: CoverUsage) throws {
        let what = usage.covers.counted("picture")
        try StandardStreams.print(json ? JSONOutput.text(usage) : "Removed \(what), \(ByteCount(usage.bytes)).")
    }

    private static func nothingKept(of input: InputArgument) -> CommandFailure {
        CommandFailure(.failed, "nothing is kept of \(input.name); `get` keeps it, and so does playing it")
    }
}
