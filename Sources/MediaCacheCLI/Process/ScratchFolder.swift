import Foundation

/// A folder with mode 0700 for the files of one child process. It's removed when the object is released.
final class ScratchFolder: Sendable {
    let path: String

    /// The subfolder of the cache folder that contains the folders.
    private static let parent = "temporary"
    /// The age in seconds after which a folder is removed, since its process was probably killed.
    private static let maximumAge = 86_400.0

    /// - Parameter cacheFolder: The cache folder in which the folder is created. If it's nil, missing or read-only, the
    ///   system's temporary folder is used.
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
            // mkdtemp creates a folder with mode 0700 and a unique name.
            if mkdtemp(&template) != nil {
                path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return
            }
            reason = errno
        }
        throw CommandFailure(
            .failed,
            "can't create a temporary folder in \(places.joined(separator: " or ")): "
                + String(cString: strerror(reason)))
    }

    deinit { remove() }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    private static func removeAbandoned(in parent: String) {
        let manager = FileManager.default
        for name in (try? manager.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix("mediacache-") {
            let date = (try? manager.attributesOfItem(atPath: "\(parent)/\(name)"))?[.modificationDate] as? Date
            guard let date, -date.timeIntervalSinceNow > maximumAge else { continue }
            try? manager.removeItem(atPath: "\(parent)/\(name)")
        }
    }
}
