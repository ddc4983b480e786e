import ArgumentParser
import MediaCache
import MediaCacheAPI

/// `mediacache verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads all that is kept and compares it with its checksums.",
        discussion: """
              mediacache verify
              mediacache verify --repair      fetch damaged bytes again

            Damaged bytes are never served: they count as missing from then on, and are fetched again when they are \
            next read, by `get`, or at once with --repair. Until then verify tells of them, whenever they were found; \
            so --repair can come later.
            Exit code 0 if all is well or has been repaired, 1 if damage was found, 2 if not all could be repaired.
            --json prints an object: resources, bytes, findings (an array of key, start, end, problem, isRepaired).
            """
    )

    @Flag(help: "Fetch what is damaged again.")
    var repair = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var colours: ColourOptions
    @OptionGroup var cache: CacheOptions

    func run() async throws {
        let repair = repair
        let interruption = Interruption()
        let settings = try HostSettings(cache: cache)
        let report = try await interruption.cancelling {
            try await Connection.use(settings) { try await $0.client.verify(repair: repair) }
        }
        guard let report else { throw CommandFailure(.interrupted, "interrupted; nothing was changed by stopping") }
        try StandardStreams.print(json ? JSONOutput.text(report) : Self.text(report, colours.output))
        guard report.findings.isEmpty else {
            let left = report.findings.count { !$0.isRepaired }
            guard left > 0 else { return }
            let places = left == 1 ? "one place" : "\(left) places"
            throw repair
                ? CommandFailure(
                    .partial, "damage in \(places) couldn't be repaired; it's fetched again when it's read")
                : CommandFailure(
                    .failed,
                    "damage was found in \(places); --repair fetches those bytes again, as get and reading them do")
        }
    }

    private static func text(_ report: VerifyReport, _ style: TextStyle) -> String {
        let sum = "Read \(ByteCount(report.bytes)) of \(report.resources.counted("resource"))."
        guard !report.findings.isEmpty else { return "\(sum) All is well." }
        var table = Table([
            .init("FROM", .right), .init("TO", .right), .init("STATE"), .init("PROBLEM"), .init("RESOURCE"),
        ])
        for finding in report.findings {
            let cells = [
                "\(finding.start)", "\(finding.end)", finding.isRepaired ? "repaired" : "damaged", finding.problem,
                finding.key,
            ]
            table.add(cells, colours: [2: finding.isRepaired ? .green : .red])
        }
        return "\(table.rendered(style))\n\(sum)"
    }
}
