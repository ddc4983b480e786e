import Foundation
import TestSupport

/// Conformance data outside the package.
enum Corpus {
    static func data(_ name: String) throws -> Data { try Data(contentsOf: Prerequisite.corpora.appending(path: name)) }
}
