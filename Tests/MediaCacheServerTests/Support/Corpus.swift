import Foundation
import TestSupport

/// Conformance data that lies beside the package, not in it.
enum Corpus {
    /// A file's bytes.
    static func data(_ name: String) throws -> Data { try Data(contentsOf: Prerequisite.corpora.appending(path: name)) }
}
