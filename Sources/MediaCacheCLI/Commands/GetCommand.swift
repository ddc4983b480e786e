import ArgumentParser
import MediaCache
import MediaCacheServer
import MediaLibrary

/// `mediacache get URL`.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Keeps the whole of a URL, and copies it out if asked to.",
        discussion: """
              mediacache get https://example.org/film.mp4
              mediacache get https://example.org/film.mp4 -o film.mp4
              mediacache get https://example.org/film.mp4 -o ~/Films/
              mediacache get --header 'Cookie: session=1' https://example.org/film.mp4

            What is here already isn't fetched again, and what has come stays whatever happens: after Ctrl-C, a lost \
            connection or a power cut the same command goes on from there. The resource is pinned, so that eviction \
            leaves it alone; `remove` gives it up.
            What comes by a user's name and password in the URL (http://user:password@host/…) is kept for that user. It \
            is found again by the URL with or without them; the password is nowhere kept.
            -o makes a file that shares its bytes with the cache where the file system can (reflink, else hard link), \
            else a copy. If it's a hard link, write to a copy of it, not to the file itself.
            --json prints one object at the end: the keys of `info --json`, and output and method (clone, hardLink, \
            copy) with -o.
            Exit code 2 if only a part could be had; 130 after Ctrl-C.
            """
    )

    @Argument(help: "The URL.", transform: URLArgument.parse)
    var url: ResourceURL

    @Option(name: .shortAndLong, help: ArgumentHelp("Copy it to this file, or into this folder.", valueName: "file"))
    var output: String?

    @OptionGroup var results: ResultOptions
    @OptionGroup var origin: OriginOptions
    @OptionGroup var admission: AdmissionOptions
    @OptionGroup var limits: LimitOptions
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let target = output.map { OutputPath.resolve($0, for: self.url) }
        // Before an hour of fetching, not after it.
        if let target { try OutputTarget(path: target, overwrites: results.force).check() }
        let settings = try HostSettings(
            cache: cache, limits: limits, admission: admission, origin: origin, url: self.url)
        let interruption = Interruption()
        let (url, header, force, quiet) = (url, origin.header, results.force, results.quiet)
        let result = try await OwnerEnded.surviving(settings) { connection in
            var byOrigin = HeaderArgument.byOrigin(header, for: url)
            let own = byOrigin.removeValue(forKey: "\(url.scheme)://\(url.authority)") ?? [:]
            for (origin, headers) in byOrigin {
                try await connection.client.setHeaderProfile(HeaderProfileUpdate(origin: origin, headers: headers))
            }
            let job = GetJob(
                client: connection.client, url: url, headers: own, wantsFile: target != nil)
            let progress = ProgressPrinter(name: OutputPath.fileName(for: url), isQuiet: quiet)
            let resource = try await job.run(showing: progress, until: interruption)
            var result = Result(resource: resource)
            if let target {
                result.method = try await Self.export(resource, to: target, overwrites: force)
                result.output = target
            }
            // So that Ctrl-C ends the waiting.
            _ = try await interruption.cancelling { await connection.waitForOthers() }
            return result
        }
        try StandardStreams.print(results.json ? JSONOutput.text(result) : result.text)
    }

    private static func export(
        _ resource: ResourceRecord, to target: String, overwrites: Bool
    ) async throws -> FileExport.Method {
        guard let source = resource.localFile else {
            throw CommandFailure(
                .partial,
                "\(resource.url) is kept, but the cache's owner gives no file to copy; nothing was put at “\(target)”")
        }
        let export = FileExport(source: source, target: target, overwrites: overwrites)
        return try await BlockingWork.run { try export.run() }
    }

    /// What was done.
    struct Result: Encodable, Sendable {
        /// What is kept.
        var resource: ResourceRecord
        /// The file that was made.
        var output: String?
        /// How.
        var method: FileExport.Method?

        private enum CodingKeys: String, CodingKey {
            case output
            case method
        }

        func encode(to encoder: any Encoder) throws {
            try resource.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(output, forKey: .output)
            try container.encodeIfPresent(method, forKey: .method)
        }

        /// In words.
        var text: String {
            let amount = resource.length.map { "\(ByteCount($0))" } ?? "\(ByteCount(resource.bytesCached))"
            let kept = "Kept \(Table.printable(resource.url)) (\(amount))."
            guard let output, let method else { return kept }
            let how =
                switch method {
                case .clone: "sharing its blocks"
                case .hardLink: "a hard link"
                case .copy: "a copy"
                }
            return "\(kept)\nPut at \(Table.printable(output)) (\(how))."
        }
    }
}
