import Foundation
import TestSupport

/// The playlists and expected results of other projects in the corpora.
enum InspectionCorpora {
    private static let root = Prerequisite.corpora

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: path)))
    }

    static func json(_ path: String) throws -> InspectJSON {
        try InspectJSON(decoding: Data(contentsOf: root.appending(path: path)))
    }

    /// Returns the relative paths of all playlists in order.
    static func playlists() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".m3u8") || $0.hasSuffix(".m3u") }.sorted()
    }
}
