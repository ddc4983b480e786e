package import Foundation

/// A program, mount or sample that tests require and a machine may lack.
///
/// Tests without their prerequisite are skipped. With `MEDIACACHE_REQUIRE_ALL=1` they fail, except those that need the
/// corpora, if `MEDIACACHE_CORPORA=absent` declares that a machine has none.
package enum Prerequisite {
    /// The folder of other projects' playlists, media and expected results: ../shared/corpora, seen from the package.
    package static let corpora = URL(filePath: #filePath).appending(path: "../../../../shared/corpora")
        .standardizedFileURL

    /// An error that reports a missing prerequisite, missing cases of a parameterized test, or an invalid value of
    /// `MEDIACACHE_CORPORA`.
    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// Returns `isPresent`, for the condition of a suite or test. Prints the name of a missing prerequisite, which
    /// `Scripts/test.sh` repeats.
    ///
    /// - Throws: ``Missing`` if the prerequisite is missing and no test may be skipped.
    package static func isMet(
        _ name: String, _ isPresent: Bool, in environment: [String: String] = ProcessInfo.processInfo.environment,
        report: (String) -> Void = { print("skipped: \($0)") }
    ) throws -> Bool {
        guard !isPresent else { return true }
        guard environment["MEDIACACHE_REQUIRE_ALL"] != "1" else {
            throw Missing(
                description: "\(name) is missing, and MEDIACACHE_REQUIRE_ALL=1 allows no skipped tests; "
                    + "install or mount it")
        }
        report("\(name) is missing")
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

    /// Returns whether the ``corpora`` are present. With `MEDIACACHE_CORPORA=absent`, prints this setting and returns
    /// false.
    ///
    /// - Throws: ``Missing``, like ``isMet(_:_:in:report:)``, or if `MEDIACACHE_CORPORA` has another value that isn't
    ///   empty.
    package static func hasCorpora(
        at folder: URL = corpora, in environment: [String: String] = ProcessInfo.processInfo.environment,
        report: (String) -> Void = { print("skipped: \($0)") }
    ) throws -> Bool {
        switch environment["MEDIACACHE_CORPORA"] {
        case nil, "":
            let isPresent = FileManager.default.fileExists(atPath: folder.path)
            return try isMet(folder.path, isPresent, in: environment, report: report)
        case "absent":
            report("the corpora are declared absent (MEDIACACHE_CORPORA=absent)")
            return false
        case let value?:
            throw Missing(
                description: "MEDIACACHE_CORPORA is “\(value)”, but only “absent” is allowed; change or unset it")
        }
    }
}
