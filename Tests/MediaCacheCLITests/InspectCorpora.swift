import Foundation
import TestSupport

/// Playlists and expected results written by others, beside the package; read in place.
enum InspectCorpora {
    private static let root = Prerequisite.corpora

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: path)))
    }

    static func json(_ path: String) throws -> InspectJSON {
        try InspectJSON(decoding: Data(contentsOf: root.appending(path: path)))
    }

    /// All playlists, as paths from the folder, in order.
    static func playlists() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".m3u8") || $0.hasSuffix(".m3u") }.sorted()
    }
}
