import Foundation

/// A folder for one test, gone when `body` ends.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mediacache-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path(percentEncoded: false).trimmingCharacters(in: CharacterSet(charactersIn: "/")).absolute)
}

extension String {
    fileprivate var absolute: String { "/" + self }
}

/// A folder for one test, removed with the value.
final class TestFolder: Sendable {
    /// The folder's path, without a slash at the end.
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }
}
