import Foundation

/// Runs `body` with the path of a new folder, and then removes the folder, even if `body` throws.
func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = FileManager.default.temporaryDirectory.path + "/mediacache-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}
