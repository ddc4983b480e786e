import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder with mode 0700 for the files of one child process. It's removed with the value.
final class ScratchFolder: Sendable {
    /// The folder's path.
    let path: String

    /// The folder in a cache folder that holds them.
    private static let parent = "temporary"
    /// The age at which a folder that a killed process left is removed, in seconds.
    private static let longestUse = 86_400.0

    /// Makes a folder.
    ///
    /// - Parameter cacheFolder: the cache folder that it lies in; where that is missing or read-only, or nil is given,
    ///   the folder lies among the system's temporary files.
    /// - Throws: ``CommandFailure`` if there is no place for it.
    init(in cacheFolder: String?) throws {
        var places = [FileManager.default.temporaryDirectory.path]
        if let cacheFolder, FileManager.default.fileExists(atPath: cacheFolder) {
            let parent = "\(cacheFolder)/\(Self.parent)"
            mkdir(parent, 0o700)
            Self.removeAbandoned(in: parent)
            places.insert(parent, at: 0)
        }
        var reason: Int32 = 0
        for place in places {
            var template = Array("\(place)/mediacache-XXXXXX".utf8CString)
            // mkdtemp makes it with mode 0700, under a name that no other process has.
            if mkdtemp(&template) != nil {
                path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return
            }
            reason = errno
        }
        throw CommandFailure(
            .failed, "can't make a temporary folder in \(places[0]): \(String(cString: strerror(reason)))")
    }

    deinit { remove() }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the path of a file in the folder.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    private static func removeAbandoned(in parent: String) {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix("mediacache-") {
            let date = (try? manager.attributesOfItem(atPath: "\(parent)/\(name)"))?[.modificationDate] as? Date
            guard let date, -date.timeIntervalSinceNow > longestUse else { continue }
            try? manager.removeItem(atPath: "\(parent)/\(name)")
        }
    }
}
