import Foundation
import TestSupport

/// The samples of other projects, which are outside the package.
enum Corpus {
    static func data(_ name: String) throws -> Data { try Data(contentsOf: Prerequisite.corpora.appending(path: name)) }
}
