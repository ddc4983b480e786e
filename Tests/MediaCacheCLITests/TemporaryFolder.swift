import Foundation

/// Runs `body` with the path of a new folder, and removes the folder.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mediacache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path(percentEncoded: false).trimmingCharacters(in: CharacterSet(charactersIn: "/")).absolute)
}

extension String {
    fileprivate var absolute: String { "/" + self }
}

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
