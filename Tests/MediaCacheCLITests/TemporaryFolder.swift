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
