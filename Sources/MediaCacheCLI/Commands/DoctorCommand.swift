import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary
import Synchronization

/// `mediacache doctor [URL]`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Checks the machine, the cache folder, and the playback of a URL.",
        discussion: """
            EXAMPLES:
              mediacache doctor
              mediacache doctor https://example.org/film.mp4
              mediacache doctor https://example.org/a.m3u8 --header 'Cookie: session=1'
              mediacache doctor --json | jq -r '.findings[] | select(.advice).advice'

            Each line is one check: ok, a warning about a limitation, or a failure. Advice is on the line below. The \
            checks of the URL follow that of the configuration. The last line is the verdict: on the URL, or otherwise \
            on the machine.
            Checks of the machine: the configuration, the cache folder, its disk and file system, the catalog, the \
            key, the running server, the port, the clock, the open-file limit, ffmpeg. Nothing is changed; only \
            temporary files are written in the cache folder. The command accepts the options of `serve` and checks the \
            same configuration.
            Checks of a URL: the host name, the connection, redirects, type, length, ranges, validators, caching and \
            rate; the index of an MP4; the playlists, a segment and the keys of a stream. The origin is contacted \
            directly, without the cache, for a few MiB at most.

            OUTPUT:
            The exit code is 1 after a failure, otherwise 0. --json prints an object: outcome (the worst), findings \
            (check, outcome, found, advice).
            """
    )

    @Argument(
        help: ArgumentHelp("A URL to check, or an ID or title from `list`.", valueName: "url"),
        completion: ServerCompletion.titles, transform: AssetReference.init(parsing:))
    var media: AssetReference?

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var colors: ColorOptions
    @OptionGroup var options: ServeOptions

    func run() async throws {
        let findings = Mutex<[DiagnosisFinding]>([])
        let style = colors.output
        let isJSON = json
        let report: @Sendable (DiagnosisFinding) async throws -> Void = { finding in
            findings.withLock { $0.append(finding) }
            if !isJSON { try StandardStreams.print(finding.text(style: style)) }
        }
        let url = try await media?.originURL(in: options.cache)
        let (settings, isValid) = try await settings(for: url, report)
        let interruption = Interruption()
        let doctor = Doctor(settings: settings, report: report)
        let before = findings.withLock { $0.count }
        let verdict = try await interruption.cancelling { () -> String in
            var subject = "This machine is ready"
            var range = 0..<0
            if let url {
                try await doctor.diagnose(url)
                subject = "\(url) can be played"
                range = before..<findings.withLock { $0.count }
            }
            try await doctor.run()
            let all = findings.withLock { $0 }
            return DoctorReport.verdict(on: url == nil ? all : Array(all[range]), subject).text(style)
        }
        guard let verdict else { throw CommandFailure(.interrupted, "interrupted; not all checks were run") }
        let summary = DoctorReport(findings: findings.withLock { $0 })
        try StandardStreams.print(json ? JSONOutput.text(summary) : verdict)
        if summary.outcome == .failure || !isValid { throw CommandFailure(exitCode: 1) }
    }

    /// Returns the settings of `serve`. If the configuration is invalid, only those of the command line apply.
    private func settings(
        for url: ResourceURL?, _ report: @Sendable (DiagnosisFinding) async throws -> Void
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

extension DoctorReport {
    /// The conclusion from a number of findings.
    struct Verdict: Sendable, Hashable {
        var outcome: DiagnosisFinding.Outcome
        var sentence: String

        func text(_ style: TextStyle) -> String {
            let color: TextStyle.Color =
                switch outcome {
                case .ok: .green
                case .warning: .yellow
                case .failure: .red
                }
            return "\n\(style.paint("Verdict:", color)) \(Table.printable(sentence))"
        }
    }

    /// Returns the conclusion, which names the failures, or otherwise the limitations.
    ///
    /// - Parameter success: The conclusion if nothing failed, as a clause.
    static func verdict(on findings: [DiagnosisFinding], _ success: String) -> Verdict {
        let outcome = DoctorReport(findings: findings).outcome
        let checks = findings.filter { $0.outcome == outcome }.map(\.check).joined(separator: ", ")
        let sentence =
            switch outcome {
            case .ok: "\(success)."
            case .warning: "\(success), with limitations: \(checks)."
            case .failure: "Problems were found: \(checks). Follow the advice, then run the command again."
            }
        return Verdict(outcome: outcome, sentence: sentence)
    }
}
