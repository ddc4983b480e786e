import Foundation
import TestSupport

/// Playlists and expected results written by others, beside the package; read in place.
enum Corpora {
    static let root = Prerequisite.corpora

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: path)))
    }

    static func json(_ path: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: root.appending(path: path)))
    }

    /// The files below a folder, as paths from ``root``, in order.
    static func files(_ folder: String, where isWanted: (String) -> Bool = { $0.hasSuffix(".m3u8") }) throws -> [String]
    {
        let base = root.appending(path: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return names.filter(isWanted).sorted().map { folder.isEmpty ? $0 : folder + "/" + $0 }
    }
}
