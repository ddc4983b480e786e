import Foundation
import TestSupport

/// Conformance data outside the package.
enum Corpus {
    /// Returns the bytes of a file.
    static func data(_ name: String) throws -> Data { try Data(contentsOf: Prerequisite.corpora.appending(path: name)) }
}
