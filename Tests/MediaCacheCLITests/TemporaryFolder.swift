import Foundation

/// A folder that is removed when the object is deallocated.
final class TestFolder: Sendable {
    /// The path, without a trailing slash.
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
