import Foundation
import MediaContainers

/// Where the public samples and their expected results are, read in place.
enum Corpora {
    static let root: URL? = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "shared/corpora")
        return FileManager.default.fileExists(atPath: root.path) ? root : nil
    }()

    /// Tests that need the corpora are skipped without them; in CI their absence is a failure.
    static var areExpected: Bool { root != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    static func url(_ path: String) throws -> URL {
        guard let root else { throw MissingCorpora() }
        return root.appendingPathComponent(path)
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(path))) }

    static func text(_ path: String) throws -> String { try String(contentsOf: url(path), encoding: .utf8) }

    /// Paths of all files below a folder, relative to it, sorted.
    static func files(_ folder: String) throws -> [String] {
        let base = try url(folder)
        let found = FileManager.default.enumerator(atPath: base.path)
        return (found?.compactMap { $0 as? String } ?? []).filter {
            var isFolder: ObjCBool = false
            let path = base.appendingPathComponent($0).path
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
        }.sorted()
    }

    struct MissingCorpora: Error {}
}
