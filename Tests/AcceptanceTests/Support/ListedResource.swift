import Foundation

/// A resource in the output of `list --json`.
struct ListedResource: Decodable {
    struct Span: Decodable {
        var start: Int64
        var end: Int64
    }

    var url: String
    var length: Int64?
    var spans: [Span]
    var bytesCached: Int64
    var complete: Bool

    var cached: RangeSet<Int> { RangeSet(spans.map { Int($0.start)..<Int($0.end) }) }

    /// Returns the resources in a cache folder, by URL.
    static func all(in cache: String) async throws -> [String: ListedResource] {
        let text = try await MediaCacheBinary.output(["list", "--json", "--cache", cache])
        let list = try JSONDecoder().decode([ListedResource].self, from: Data(text.utf8))
        return Dictionary(uniqueKeysWithValues: list.map { ($0.url, $0) })
    }
}

/// The output of `verify --json`.
struct Verification: Decodable {
    struct Finding: Decodable {
        var problem: String
        var start: Int64
        var end: Int64
        var isRepaired: Bool
    }

    var resources: Int
    var bytes: Int64
    var findings: [Finding]

    static func run(in cache: String, repair: Bool = false) async throws -> (
        ending: ChildProcess.Ending, output: Verification
    ) {
        let arguments = ["verify", "--json", "--cache", cache] + (repair ? ["--repair"] : [])
        let result = try await MediaCacheBinary.run(arguments)
        do {
            return (result.ending, try JSONDecoder().decode(Verification.self, from: result.output))
        } catch {
            throw HarnessError("verify --json: \(result.ending), \(result.text) \(result.errorText) (\(error))")
        }
    }
}
