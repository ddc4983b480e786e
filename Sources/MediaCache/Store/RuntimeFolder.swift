import Foundation

/// A private temporary folder of the user, for files that belong to a cache folder which isn't writable.
package enum RuntimeFolder {
    /// Returns the path of a file for `location`; nil if there is none in any candidate folder.
    package static func find(_ name: String, for location: CacheLocation) -> String? {
        candidates.filter(isOurs).map { path(name, for: location, in: $0) }
            .first { POSIXFileSystem().exists($0) }
    }

    /// Calls `body` with the file's path in each candidate folder until it succeeds.
    ///
    /// - Throws: A ``CacheError`` with a code other than ``CacheError/Code/storage`` as soon as `body` throws it,
    ///   because it doesn't depend on the folder; otherwise the error of the last candidate.
    package static func use<Result>(
        _ name: String, for location: CacheLocation, _ body: (String) throws -> Result
    ) throws -> Result {
        var failure: any Error = SystemError(call: "mkdir", path: "a folder for temporary files", number: EACCES)
        for folder in candidates {
            do {
                try make(folder)
                return try body(path(name, for: location, in: folder))
            } catch let error as CacheError where error.code != .storage {
                throw error
            } catch {
                failure = error
            }
        }
        throw failure
    }

    /// The candidate folders. There are several because a folder may be on the same full disk as the cache folder.
    private static var candidates: [String] {
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return [runtime, FileManager.default.temporaryDirectory.path, "/dev/shm"].compactMap(\.self)
            .map { "\($0)/mediacache-\(geteuid())" }
    }

    private static func path(_ name: String, for location: CacheLocation, in folder: String) -> String {
        "\(folder)/\(NameHash(location.durable)).\(name)"
    }

    private static func make(_ folder: String) throws {
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw SystemError(call: "mkdir", path: folder, number: errno)
        }
        guard isOurs(folder) else { throw SystemError(call: "use", path: folder, number: EPERM) }
    }

    /// Returns whether the folder is private. Otherwise, another user could pose as the owner and receive the API key.
    private static func isOurs(_ folder: String) -> Bool {
        var status = stat()
        return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }
}
