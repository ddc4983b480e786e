import Foundation

/// A folder that goes when nobody holds it any more.
final class TemporaryFolder: Sendable {
    let path: String

    init(_ name: String) throws {
        path = NSTemporaryDirectory() + "/mediacache-\(name)-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path inside.
    func file(_ name: String) -> String { "\(path)/\(name)" }
}
