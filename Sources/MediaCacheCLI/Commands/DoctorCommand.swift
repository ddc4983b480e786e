import ArgumentParser
import MediaCache
import MediaLibrary
import Synchronization

/// `mediacache doctor [URL]`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the machine, the cache folder, and the playback of a URL.",
        discussion: """
              mediacache doctor
              mediacache doctor https://example.org/film.mp4
              mediacache doctor https://example.org/live.m3u8 --header 'Authorization: Bearer abc'
              mediacache doctor --json | jq -r '.findings[] | select(.outcome != "ok") | .advice'

            Each line is one check: ok, a warning about a limitation, or a failure. Advice is on the line below.
            Checks of the machine: the configuration, the cache folder, its disk and file system, the catalog, the \
            key, the running server, the port, the clock, the open-file limit, ffmpeg. Nothing is changed; only \
            temporary files are written in the cache folder. The command accepts the options of `serve` and checks the \
            same configuration.
            Checks of a URL: the host name, the connection, redirects, type, length, ranges, validators, caching and \
            rate; the index of an MP4; the playlists, a segment and the keys of a stream. The origin is contacted \
            directly, without the cache, for a few MiB at most.
            The exit code is 1 after a failure, otherwise 0. --json prints an object: outcome (the worst), findings \
            (check, outcome, found, advice).
            """
    )

    @Argument(help: ArgumentHelp("A URL to check.", valueName: "url"), transform: URLArgument.parse)
    var url: ResourceURL?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var colors: ColorOptions
    @OptionGroup var options: ServeOptions

    func run() async throws {
        let findings = Mutex<[DiagnosisFinding]>([])
        let style = colors.output
        let isJSON = json
        let report: @Sendable (DiagnosisFinding) async throws -> Void = { finding in
            findings.withLock { $0.append(finding) }
            if !isJSON { try StandardStreams.print(finding.text(style: style)) }
        }
        let (settings, isValid) = try await settings(report)
        let interruption = Interruption()
        let doctor = Doctor(settings: settings, url: url, report: report)
        guard try await interruption.cancelling({ try await doctor.run() }) != nil else {
            throw CommandFailure(.interrupted, "interrupted; not all checks were run")
        }
        let summary = DoctorReport(findings: findings.withLock { $0 })
        if json { try StandardStreams.print(JSONOutput.text(summary)) }
        if summary.outcome == .failure || !isValid { throw CommandFailure(exitCode: 1) }
    }

    /// Returns the settings of `serve`. If the configuration is invalid, only those of the command line apply.
    private func settings(
        _ report: @Sendable (DiagnosisFinding) async throws -> Void
    ) async throws -> (settings: HostSettings, isValid: Bool) {
        do {
            let configuration = try options.configuration()
            var settings = try HostSettings(configuration.settings, url: url)
            settings.channels = try configuration.channels.channels()
            let file = configuration.settings.file.map { "\($0.path) is valid" } ?? "no file"
            try await report(.ok("configuration", file))
            return (settings, true)
        } catch let failure as CommandFailure {
            try await report(
                .failure(
                    "configuration", failure.message,
                    advice: "correct it; `mediacache config check` checks it again"))
            let bare = ServeConfiguration(options: options.values)
            return (try HostSettings(bare.settings, url: url), false)
        }
    }
}

/// The output of `doctor --json`.
struct DoctorReport: Encodable, Sendable {
    var outcome: DiagnosisFinding.Outcome
    var findings: [DiagnosisFinding]

    init(findings: [DiagnosisFinding]) {
        self.findings = findings
        let order = DiagnosisFinding.Outcome.allCases
        outcome = order.last { outcome in findings.contains { $0.outcome == outcome } } ?? .ok
    }
}
