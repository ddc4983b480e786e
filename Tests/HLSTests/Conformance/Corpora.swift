import Foundation
import TestSupport

/// Playlists and expected results of other projects, in a folder next to the package.
enum Corpora {
    static let root = Prerequisite.corpora

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: path))) }

    static func json(_ path: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: root.appending(path: path)))
    }

    /// Returns the sorted paths of the files below a folder, relative to ``root``.
    static func files(_ folder: String, where isIncluded: (String) -> Bool = { $0.hasSuffix(".m3u8") }) throws
        -> [String]
    {
        let base = root.appending(path: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return names.filter(isIncluded).sorted().map { folder.isEmpty ? $0 : folder + "/" + $0 }
    }
}
