import Foundation
import TestSupport

/// Other projects' playlists and expected results in the corpora.
enum InspectionCorpora {
    private static let root = Prerequisite.corpora

    static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: path))) }

    static func json(_ path: String) throws -> InspectJSON {
        try InspectJSON(decoding: Data(contentsOf: root.appending(path: path)))
    }

    /// Returns the relative paths of all playlists, sorted.
    static func playlists() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".m3u8") || $0.hasSuffix(".m3u") }.sorted()
    }
}
