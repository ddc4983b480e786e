import Foundation

/// The benchmarks to run and their duration.
struct Options {
    /// An error for invalid arguments, or a request for help.
    struct Problem: Error {
        var text: String
        var isAsked = false
    }

    /// All benchmarks. The soak runs only if it is selected.
    static let known = [
        "cached", "limited", "cold", "readers", "fill", "downloads", "containers", "replay", "latency", "http2",
        "playlists", "beside", "windows", "soak",
    ]
    /// The benchmarks that have rows in the table of goals.
    static let withGoals = ["cached", "cold", "fill", "downloads", "containers", "replay", "latency"]

    var names = known.filter { $0 != "soak" }
    /// Whether only rows with goals are measured.
    var measuresOnlyGoals = false
    var minutes = 60
    var rounds = 5
    var seconds = 3
    var json = MediaCacheBinary.buildFolder + "/benchmarks.jsonl"

    init(_ arguments: [String]) throws {
        var arguments = arguments[...]
        while let name = arguments.popFirst() {
            if name == "--help" || name == "-h" { throw Problem(text: BenchmarksCommand.usage, isAsked: true) }
            if name == "--goals" {
                measuresOnlyGoals = true
                continue
            }
            guard let value = arguments.popFirst() else { throw Problem(text: BenchmarksCommand.usage) }
            switch name {
            case "--only":
                names = value.split(separator: ",").map(String.init)
                if let unknown = names.first(where: { !Self.known.contains($0) }) {
                    throw Problem(text: "unknown benchmark \(unknown)\n\(BenchmarksCommand.usage)")
                }
            case "--rounds": rounds = try Self.count(value)
            case "--seconds": seconds = try Self.count(value)
            case "--minutes": minutes = try Self.count(value)
            case "--json": json = value
            default: throw Problem(text: BenchmarksCommand.usage)
            }
        }
        if measuresOnlyGoals { names.removeAll { !Self.withGoals.contains($0) } }
    }

    private static func count(_ text: String) throws -> Int {
        guard let count = Int(text), count > 0 else { throw Problem(text: "\(text) isn't a positive number") }
        return count
    }
}
