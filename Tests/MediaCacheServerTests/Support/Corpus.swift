import Foundation
import Testing

/// Conformance data that lies beside the package, not in it.
enum Corpus {
    /// A file's bytes; nil, with a line that says so, where the corpora aren't. Under `CI=true` that is a failure.
    static func data(_ name: String) throws -> Data? {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
        let file = root.deletingLastPathComponent().appending(path: "shared/corpora/\(name)")
        guard FileManager.default.fileExists(atPath: file.path) else {
            if ProcessInfo.processInfo.environment["CI"] == "true" {
                Issue.record("\(file.path) is missing")
            } else {
                print("skipped: \(file.path) is not here")
            }
            return nil
        }
        return try Data(contentsOf: file)
    }
}
