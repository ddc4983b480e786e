import Foundation

/// The program under test: `MEDIACACHE_BINARY`, or the `mediacache` built with these tests.
enum MediaCacheBinary {
    /// The folder with the test bundle.
    static let buildFolder: String = {
        #if canImport(Darwin)
            let bundles = Bundle.allBundles.map(\.bundlePath).filter { $0.hasSuffix(".xctest") }
            return bundles.first.map { ($0 as NSString).deletingLastPathComponent } ?? "."
        #else
            let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "."
            return (executable as NSString).deletingLastPathComponent
        #endif
    }()

    static let path = TestSettings.variable("MEDIACACHE_BINARY") ?? "\(buildFolder)/mediacache"

    struct Result {
        var ending: ChildProcess.Ending
        var output: Data
        var text: String { String(decoding: output, as: UTF8.self) }
        var errorText: String
    }

    static func run(_ arguments: [String], within limit: Duration = .seconds(120)) async throws -> Result {
        let child = try ChildProcess(path, arguments)
        let ending = try await child.end(within: limit)
        return Result(ending: ending, output: child.output, errorText: child.errorText)
    }

    /// Returns the output of the command. If it fails, throws an error.
    @discardableResult
    static func output(_ arguments: [String], within limit: Duration = .seconds(120)) async throws -> String {
        let result = try await run(arguments, within: limit)
        guard result.ending == .exit(0) else {
            throw HarnessError("mediacache \(arguments.joined(separator: " ")): \(result.ending): \(result.errorText)")
        }
        return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the decoded JSON output of the command.
    static func decoded<T: Decodable>(_ arguments: [String]) async throws -> T {
        try JSONDecoder().decode(T.self, from: Data(try await output(arguments).utf8))
    }

    /// Returns the JSON object that the command prints.
    static func object(_ arguments: [String]) async throws -> [String: Any] {
        let text = try await output(arguments)
        guard let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw HarnessError("\(arguments): no JSON object: \(text)")
        }
        return object
    }
}
