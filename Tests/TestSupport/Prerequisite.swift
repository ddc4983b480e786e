package import Foundation

/// A program, mount or sample that tests require and a machine may lack.
///
/// Tests without their prerequisite are skipped. With `MEDIACACHE_REQUIRE_ALL=1` they fail.
package enum Prerequisite {
    /// The folder of other projects' playlists, media and expected results, next to the package's folder.
    package static let corpora = URL(filePath: #filePath).appending(path: "../../../../shared/corpora")
        .standardizedFileURL

    /// An error that reports a missing prerequisite, or missing cases of a parameterized test.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns `isPresent`, for the condition of a suite or test. Prints the name of a missing prerequisite.
    ///
    /// - Throws: ``Missing`` if the prerequisite is missing and no test may be skipped.
    package static func isMet(
        _ name: String, _ isPresent: Bool, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Bool {
        guard !isPresent else { return true }
        guard environment["MEDIACACHE_REQUIRE_ALL"] != "1" else {
            throw Missing(
                description: "\(name) is missing, and MEDIACACHE_REQUIRE_ALL=1 allows no skipped tests; "
                    + "install or mount it")
        }
        print("skipped: \(name) is missing")
        return false
    }

    /// Returns the cases of a parameterized test, which would pass without any.
    ///
    /// - Throws: ``Missing`` if there are no cases.
    package static func cases<Case>(_ cases: [Case], of name: String) throws -> [Case] {
        guard !cases.isEmpty else {
            throw Missing(description: "\(name) has no cases, so its test would check nothing; restore its content")
        }
        return cases
    }

    /// Returns whether the ``corpora`` are present.
    ///
    /// - Throws: ``Missing``, like ``isMet(_:_:in:)``.
    package static func hasCorpora() throws -> Bool {
        try isMet(corpora.path, FileManager.default.fileExists(atPath: corpora.path))
    }
}
