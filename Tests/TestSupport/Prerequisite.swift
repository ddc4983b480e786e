package import Foundation

/// A program, a mount or a sample that tests need and a machine may lack.
///
/// Tests without it are skipped. Under `MEDIACACHE_REQUIRE_ALL=1` they fail, and the error names what is missing.
package enum Prerequisite {
    /// Playlists, media and expected results made by others, in a folder beside the package; read in place.
    package static let corpora = URL(filePath: #filePath).appending(path: "../../../../shared/corpora")
        .standardizedFileURL

    /// The error of a test whose prerequisite is missing although nothing may be skipped.
    package struct Missing: Error, CustomStringConvertible {
        /// The missing program, mount or sample.
        package let name: String

        package var description: String {
            "\(name) is missing, and MEDIACACHE_REQUIRE_ALL=1 lets nothing be skipped; install or mount it"
        }
    }

    /// Whether tests that need something run, for the condition of a suite or a test.
    ///
    /// - Parameters:
    ///   - name: the program, mount or sample.
    ///   - isPresent: whether it's there.
    ///   - environment: the environment variables, of which `MEDIACACHE_REQUIRE_ALL` counts.
    /// - Throws: ``Missing`` where it's absent and nothing may be skipped.
    package static func isMet(
        _ name: String, _ isPresent: Bool, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> Bool {
        guard !isPresent else { return true }
        guard environment["MEDIACACHE_REQUIRE_ALL"] != "1" else { throw Missing(name: name) }
        print("skipped: \(name) is missing")
        return false
    }

    /// Returns the cases of a parameterized test, which would pass unseen without any.
    ///
    /// - Throws: ``Missing`` if there is none.
    package static func cases<Case>(_ cases: [Case], of name: String) throws -> [Case] {
        guard !cases.isEmpty else { throw Missing(name: name) }
        return cases
    }

    /// Whether tests that need the ``corpora`` run.
    ///
    /// - Throws: ``Missing`` where they are absent and nothing may be skipped.
    package static func hasCorpora() throws -> Bool {
        try isMet(corpora.path, FileManager.default.fileExists(atPath: corpora.path))
    }
}
