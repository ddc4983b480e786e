import Foundation
import MediaContainers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that is filled beside its target, and put there when it's whole.
struct FolderDraft {
    private let target: OutputTarget
    private let path: String

    init(_ target: OutputTarget) throws {
        self.target = target
        path = target.temporaryName()
        guard mkdir(path, 0o755) == 0 else { throw target.failure("make", target.path) }
    }

    /// Writes a small file.
    func write(_ bytes: [UInt8], to name: String) throws {
        try bytes.withUnsafeBytes { try file(name).write($0, at: 0) }
    }

    /// A file to write to.
    ///
    /// - Parameter name: its path within the folder.
    func file(_ name: String) throws -> FileSink { try FileSink(path: try place(of: name)) }

    /// Puts a kept file into the folder by reflink, else hard link, else copy.
    ///
    /// - Returns: its length in bytes.
    func link(_ source: String, to name: String) throws -> Int64 {
        let place = try place(of: name)
        _ = try FileExport(source: source, target: place, overwrites: false).run()
        var status = stat()
        guard stat(place, &status) == 0 else { throw target.failure("read", place) }
        return Int64(status.st_size)
    }

    /// Gives the folder its name.
    func place() throws {
        guard access(target.path, F_OK) == 0 else {
            guard rename(path, target.path) == 0 else { throw target.failure("put it at", target.path) }
            return
        }
        let old = target.temporaryName()
        guard rename(target.path, old) == 0 else { throw target.failure("replace", target.path) }
        guard rename(path, target.path) == 0 else {
            let failure = target.failure("put it at", target.path)
            rename(old, target.path)
            throw failure
        }
        try? FileManager.default.removeItem(atPath: old)
    }

    /// Removes what was begun; what has been put in its place is there no more.
    func remove() { try? FileManager.default.removeItem(atPath: path) }

    private func place(of name: String) throws -> String {
        let pieces = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !pieces.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            throw CommandFailure(.failed, "“\(name)” can't be the name of a file in a folder")
        }
        if pieces.count > 1 {
            try FileManager.default.createDirectory(
                atPath: "\(path)/\(pieces.dropLast().joined(separator: "/"))", withIntermediateDirectories: true)
        }
        return "\(path)/\(name)"
    }
}
