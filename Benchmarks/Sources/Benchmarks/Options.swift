import Foundation

/// The benchmarks to run and their duration.
struct Options {
    /// An error for invalid arguments, or a request for help.
    struct Problem: Error {
        var text: String
        var isAsked = false
    }

    var names = [
        "cached", "cold", "latency", "fill", "playlists", "containers", "downloads", "beside", "replay", "windows",
    ]
    var rounds = 5
    var seconds = 3
    var json = MediaCacheBinary.buildFolder + "/benchmarks.jsonl"

    init(_ arguments: [String]) throws {
        var arguments = arguments[...]
        while let name = arguments.popFirst() {
            if name == "--help" || name == "-h" { throw Problem(text: BenchmarksCommand.usage, isAsked: true) }
            guard let value = arguments.popFirst() else { throw Problem(text: BenchmarksCommand.usage) }
            switch name {
            case "--only":
                let known = names
                names = value.split(separator: ",").map(String.init)
                if let unknown = names.first(where: { !known.contains($0) }) {
                    throw Problem(text: "unknown benchmark \(unknown)\n\(BenchmarksCommand.usage)")
                }
            case "--rounds": rounds = try Self.count(value)
            case "--seconds": seconds = try Self.count(value)
            case "--json": json = value
            default: throw Problem(text: BenchmarksCommand.usage)
            }
        }
    }

    private static func count(_ text: String) throws -> Int {
        guard let count = Int(text), count > 0 else { throw Problem(text: "\(text) isn't a positive number") }
        return count
    }
}
