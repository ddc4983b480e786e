import Foundation
import MediaContainers
import TestSupport

/// Where the public samples and their expected results are, read in place.
enum Corpora {
    static func url(_ path: String) -> URL { Prerequisite.corpora.appendingPathComponent(path) }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(path))) }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// Paths of all files below a folder, relative to it, sorted.
    static func files(_ folder: String) throws -> [String] {
        let base = url(folder)
        return try FileManager.default.subpathsOfDirectory(atPath: base.path).filter {
            var isFolder: ObjCBool = false
            let path = base.appendingPathComponent($0).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }
}
