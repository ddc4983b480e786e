import Foundation
import Testing

/// Playlists and expected results written by others, beside the package; read in place.
enum Corpora {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "shared/corpora")

    /// Whether the folder is there. Where it isn't, its tests are skipped; in CI that is a failure.
    static let isPresent: Bool = {
        if FileManager.default.fileExists(atPath: root.path) { return true }
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        print("Skipped: there is no \(root.path).")
        return false
    }()

    static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: root.appending(path: path)))
    }

    static func json(_ path: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: root.appending(path: path)))
    }

    /// The files below a folder, as paths from ``root``, in order.
    static func files(_ folder: String, where isWanted: (String) -> Bool = { $0.hasSuffix(".m3u8") }) throws -> [String]
    {
        let base = root.appending(path: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
        return names.filter(isWanted).sorted().map { folder.isEmpty ? $0 : folder + "/" + $0 }
    }
}

extension Trait where Self == ConditionTrait {
    /// Runs a test only where the corpora are.
    static var needsCorpora: Self { .enabled(if: Corpora.isPresent, "The corpora aren't there.") }
}
