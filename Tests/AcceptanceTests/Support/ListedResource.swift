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
        let list: [ListedResource] = try await MediaCacheBinary.decoded(
            ["list", "--resources", "--json", "--cache", cache])
        return Dictionary(uniqueKeysWithValues: list.map { ($0.url, $0) })
    }
}

/// A download in an API response.
struct ListedDownload: Decodable {
    var id: String
    var state: String
    var bytes: Int64

    static func all(of server: RunningServer, key: String) throws -> [ListedDownload] {
        struct List: Decodable { var downloads: [ListedDownload] }
        let (status, body) = try server.call("GET", "/api/v1/downloads", key: key)
        guard status == 200 else { throw HarnessError("\(status): \(String(decoding: body, as: UTF8.self))") }
        return try JSONDecoder().decode(List.self, from: body).downloads
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
