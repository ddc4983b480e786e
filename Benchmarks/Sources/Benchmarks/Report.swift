import Foundation

/// A report of the results, as tables on standard output and as lines of JSON in a file.
final class Report {
    private let handle: FileHandle
    /// The rows of the table of goals.
    private var goals: [String] = []
    private var missedGoals = 0

    init(path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw HarnessError("\(path) can't be written") }
        self.handle = handle
    }

    func add(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Systems without `/proc` report no CPU time of a server.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        try handle.write(contentsOf: encoder.encode(value) + Data("\n".utf8))
    }

    /// Prints a line without buffering.
    func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    func begin(_ title: String) {
        say("\n\(title)\n\n| measurement | peer | ratio, median | min | max | ours | theirs |")
        say("|---|---|---|---|---|---|---|")
    }

    func beginAlone(_ title: String) { say("\n\(title)\n\n| measurement | median | min | max |\n|---|---|---|---|") }

    /// Adds a row to the table and a line to the JSON file.
    func add(_ measurement: Measurement) throws {
        let figures = [
            measurement.figures.median, measurement.figures.min() ?? .nan, measurement.figures.max() ?? .nan,
        ]
        let cells = figures.map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) }
        say("| \(measurement.name) | \(cells[0]) \(measurement.unit) | \(cells[1]) | \(cells[2]) |")
        struct Line: Encodable { var measurement: Measurement }
        try add(Line(measurement: measurement))
    }

    func add(_ comparison: Comparison) throws {
        let ratios = comparison.ratios
        let cells = [comparison.name, comparison.peer] + Self.summary(ratios) + Self.medians(comparison)
        say("| \(cells.joined(separator: " | ")) |")
        struct Line: Encodable {
            var comparison: Comparison
            var ratios: [Double]
            var medianRatio: Double
        }
        try add(Line(comparison: comparison, ratios: ratios, medianRatio: ratios.median))
    }

    /// Adds the comparisons of rates and of CPU times, in this order, and the goal for the rate, if any.
    func add(_ rateAndCPU: [Comparison], goal: Goal? = nil) throws {
        for comparison in rateAndCPU { try add(comparison) }
        if let goal { try add(goal, of: rateAndCPU[0], cpu: rateAndCPU[1]) }
    }

    /// Adds a row to the table of goals, and a line to the JSON file.
    ///
    /// - Parameter cpu: The comparison of CPU times per GiB; nil if they weren't measured.
    func add(_ goal: Goal, of comparison: Comparison, cpu: Comparison? = nil) throws {
        let figures = goal.figures(comparison)
        let isMet = goal.isMet(by: comparison)
        let unit = goal.unit(of: comparison)
        let cpuCell = cpu.map { Self.medians($0).joined(separator: " / ") } ?? ""
        let cells =
            [goal.work(comparison), comparison.peer] + Self.summary(figures).map { $0 + unit }
            + [cpuCell, goal.text + unit, isMet ? "yes" : "no"]
        goals.append("| \(cells.joined(separator: " | ")) |")
        if !isMet { missedGoals += 1 }
        struct Line: Encodable {
            var goal: String
            var peer: String
            var bound: String
            var figures: [Double]
            var median: Double
            var isMet: Bool
        }
        try add(
            Line(
                goal: goal.work(comparison), peer: comparison.peer, bound: goal.text + unit, figures: figures,
                median: figures.median, isMet: isMet))
    }

    /// Prints the table of goals unless it is empty.
    func sayGoals() {
        guard !goals.isEmpty else { return }
        say("\nGoals: \(goals.count), missed: \(missedGoals)\n")
        say("| work | compared with | median | min | max | CPU per GiB, MediaCache / other | goal | met |")
        say("|---|---|---|---|---|---|---|---|")
        for row in goals { say(row) }
    }

    /// Returns the median, the smallest and the largest of sorted figures.
    private static func summary(_ sorted: [Double]) -> [String] {
        [sorted.median, sorted.first ?? .nan, sorted.last ?? .nan].map { String(format: "%.2f", $0) }
    }

    private static func medians(_ comparison: Comparison) -> [String] {
        [comparison.ours.median, comparison.theirs.median]
            .map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) + " " + comparison.unit }
    }
}
