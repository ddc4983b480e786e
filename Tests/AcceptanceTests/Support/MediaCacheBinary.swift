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
}
