import ArgumentParser
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `mediacache verify`.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads all cached data and compares it with its checksums.",
        usage: "mediacache verify [<options>]",
        discussion: """
            EXAMPLES:
              mediacache verify
              mediacache verify --repair      fetch damaged data again

            Damaged data is never served. It counts as missing and is fetched again at the next read or `get`; \
            --repair fetches it at once. Until then, `verify` lists it.

            OUTPUT:
            Exit codes: 0 without damage or after a complete repair, 1 for damage, 2 for an incomplete repair.
            --json prints an object: resources, bytes, findings (an array of objects: key, start, end, problem, \
            isRepaired).
            """
    )

    @Flag(help: "Fetch damaged data again.")
    var repair = false

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup(title: "Global options") var colors: ColorOptions
    @OptionGroup(title: "Global options") var cache: CacheOptions

    func run() async throws {
        let repair = repair
        let interruption = Interruption()
        let settings = try HostSettings(cache: cache)
        let report = try await interruption.cancelling {
            try await Connection.use(settings) { try await $0.client.verify(repair: repair) }
        }
        guard let report else {
            let effect = repair ? "run it again to repair the remaining damage" : "no data was changed"
            throw CommandFailure(.interrupted, "interrupted; \(effect)")
        }
        try StandardStreams.print(json ? JSONOutput.text(report) : Self.text(report, colors.output))
        guard report.findings.isEmpty else {
            let left = report.findings.count { !$0.isRepaired }
            guard left > 0 else { return }
            let places = left.counted("place")
            throw repair
                ? CommandFailure(
                    .partial, "\(places) couldn't be repaired; the data is fetched again when it's next read")
                : CommandFailure(
                    .failed,
                    "\(places) \(left == 1 ? "is" : "are") damaged; use --repair to fetch the data again")
        }
    }

    private static func text(_ report: VerifyReport, _ style: TextStyle) -> String {
        let sum = "Read \(ByteCount(report.bytes)) of \(report.resources.counted("resource"))."
        guard !report.findings.isEmpty else { return "\(sum) No damage found." }
        var table = Table([
            .init("FROM", .right), .init("TO", .right), .init("STATE"), .init("PROBLEM"), .init("RESOURCE"),
        ])
        for finding in report.findings {
            let cells = [
                "\(finding.start)", "\(finding.end)", finding.isRepaired ? "repaired" : "damaged", finding.problem,
                finding.key,
            ]
            table.add(cells, colors: [2: finding.isRepaired ? .green : .red])
        }
        return "\(table.rendered(style))\n\(sum)"
    }
}
