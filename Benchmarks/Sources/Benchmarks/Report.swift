import Foundation

/// A report of the results, as tables on standard output and as lines of JSON in a file.
final class Report {
    private let handle: FileHandle

    init(path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw HarnessError("\(path) can't be written") }
        self.handle = handle
    }

    func add(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
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
        let numbers = [ratios.median, ratios.first ?? .nan, ratios.last ?? .nan].map { String(format: "%.2f", $0) }
        let medians = [comparison.ours.median, comparison.theirs.median]
            .map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) + " " + comparison.unit }
        let cells = [comparison.name, comparison.peer] + numbers + medians
        say("| \(cells.joined(separator: " | ")) |")
        struct Line: Encodable {
            var comparison: Comparison
            var ratios: [Double]
            var medianRatio: Double
        }
        try add(Line(comparison: comparison, ratios: ratios, medianRatio: ratios.median))
    }
}
