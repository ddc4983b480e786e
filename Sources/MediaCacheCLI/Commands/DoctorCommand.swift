import ArgumentParser
import MediaCache
import Synchronization

/// `mediacache doctor [URL]`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks this machine, the cache folder, and whether a URL can be played and kept.",
        discussion: """
              mediacache doctor
              mediacache doctor https://example.org/film.mp4
              mediacache doctor https://example.org/live.m3u8 --header 'Authorization: Bearer abc'
              mediacache doctor --json | jq -r '.findings[] | select(.outcome != "ok") | .advice'

            Each line says how one thing stands: ok; warning: it works, though less well than it could; failure: \
            something won't work. Below stands what can be done about it.
            Of this machine: the folder, its disk and file system, the catalog, the key, the server that runs, the port, \
            the clock, the limit of open files, ffmpeg. Nothing is changed. It takes the options of `serve`, and checks \
            what would be served with them.
            Of a URL: its host's name, the connection, redirects, what it is, its length, ranges, validators, what may be \
            kept, how fast it comes; of an MP4 where its index is; of a stream its playlists, its first segment, its \
            key. The origin itself is asked, past the cache, for a few MiB at most.
            The exit code is 1 where there is a failure, else 0. --json prints an object: outcome (the worst), findings \
            (check, outcome, found, advice).
            """
    )

    @Argument(help: ArgumentHelp("A URL to look at.", valueName: "url"), transform: URLArgument.parse)
    var url: ResourceURL?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var colours: ColourOptions
    @OptionGroup var options: ServeOptions

    func run() async throws {
        let findings = Mutex<[Finding]>([])
        let style = colours.output
        let isJSON = json
        let tell: @Sendable (Finding) async throws -> Void = { finding in
            findings.withLock { $0.append(finding) }
            if !isJSON { try StandardStreams.print(finding.text(style: style)) }
        }
        let (settings, isRight) = try await settings(tell)
        let interruption = Interruption()
        let doctor = Doctor(settings: settings, url: url, tell: tell)
        guard try await interruption.cancelling({ try await doctor.run() }) != nil else {
            throw CommandFailure(.interrupted, "interrupted; what was checked stands above")
        }
        let report = DoctorReport(findings: findings.withLock { $0 })
        if json { try StandardStreams.print(JSONOutput.text(report)) }
        if report.outcome == .failure || !isRight { throw CommandFailure(passingOn: 1) }
    }

    /// What `serve` would go by; where that can't be read, what the options alone say.
    private func settings(
        _ tell: @Sendable (Finding) async throws -> Void
    ) async throws -> (settings: HostSettings, isRight: Bool) {
        do {
            let configuration = try options.configuration()
            var settings = try HostSettings(configuration.settings, url: url)
            settings.channels = try configuration.channels.channels()
            _ = try settings.originSettings
            let file = configuration.settings.file.map { "\($0.path) is right" } ?? "there is no file"
            try await tell(.ok("configuration", file))
            return (settings, true)
        } catch let failure as CommandFailure {
            try await tell(
                .failure("configuration", failure.message, advice: "mend it; `mediacache config check` tries again"))
            let bare = ServeConfiguration(options: options.values)
            return (try HostSettings(bare.settings, url: url), false)
        }
    }
}

/// What `doctor --json` prints.
struct DoctorReport: Encodable, Sendable {
    /// How the worst stands.
    var outcome: Finding.Outcome
    /// What was found.
    var findings: [Finding]

    /// A report of findings.
    init(findings: [Finding]) {
        self.findings = findings
        let order = Finding.Outcome.allCases
        outcome = order.last { outcome in findings.contains { $0.outcome == outcome } } ?? .ok
    }
}
