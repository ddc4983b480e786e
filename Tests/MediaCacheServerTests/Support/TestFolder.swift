import Foundation

/// The path of a temporary folder, which is removed when the object is deallocated.
final class TestFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.appending(path: "mediacache-\(UUID())").path

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func create() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
}
