import Foundation

/// A folder that is removed when the object is deallocated.
final class TemporaryFolder: Sendable {
    let path: String

    init(_ name: String) throws {
        path = NSTemporaryDirectory() + "/mediacache-\(name)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }
}
