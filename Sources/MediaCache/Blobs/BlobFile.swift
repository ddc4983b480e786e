import Foundation

/// An open sparse file. It's closed on deallocation.
package protocol BlobFile: BlobReader {
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws
    /// Makes written bytes durable.
    func sync() throws
    /// Frees the disk space of a range, which then reads as zeros.
    func punch(_ range: Range<Int64>) throws
    func size() throws -> Int64
}

/// The file system operations for blobs. Tests implement them to simulate power failures.
package protocol BlobFileSystem: Sendable {
    /// Opens a file, creating it if `creating` is true and it doesn't exist. A file without write permission is opened
    /// for reading; writing to it throws EROFS.
    func open(_ path: String, creating: Bool) throws -> any BlobFile
    /// Deletes a file; has no effect if it doesn't exist.
    func remove(_ path: String) throws
    /// Renames a file within a file system; throws EXDEV across file systems.
    func rename(_ source: String, to destination: String) throws
    /// Creates a hard link unless the destination exists.
    func link(_ source: String, to destination: String) throws
    func linkCount(of path: String) throws -> Int
    /// Creates a folder and its parents durably.
    func makeFolder(_ path: String) throws
    /// Makes the entries of a folder durable.
    func syncFolder(_ path: String) throws
    /// Makes the written bytes of files and the entries of folders durable, like ``BlobFile/sync()`` and
    /// ``syncFolder(_:)`` but in fewer calls if the system supports it. Returns the failures.
    func sync(_ files: [any BlobFile], folders: Set<String>) -> SyncFailures
    /// Returns the names of a folder's entries; an empty array if it doesn't exist.
    func names(in folder: String) throws -> [String]
    func exists(_ path: String) -> Bool
    /// Returns the number of free bytes for this user on the file system of `path`.
    func freeBytes(at path: String) throws -> Int64
    /// Replaces a small file atomically and durably.
    func replace(_ path: String, with bytes: [UInt8]) throws
    func contents(of path: String) throws -> [UInt8]
}

extension BlobFileSystem {
    /// Syncs each file and folder. Ignores nil.
    package func syncEach(_ files: [(any BlobFile)?], folders: Set<String>) -> SyncFailures {
        var failures = SyncFailures()
        for (index, file) in files.enumerated() {
            do { try file?.sync() } catch { failures.files[index] = error }
        }
        for folder in folders {
            do { try syncFolder(folder) } catch { failures.folders[folder] = error }
        }
        return failures
    }
}

/// The files and folders that couldn't be synced.
package struct SyncFailures {
    /// By index.
    package var files: [Int: any Error] = [:]
    /// By path.
    package var folders: [String: any Error] = [:]

    package init() {}

    /// Throws one of the failures if there is any.
    func check() throws {
        if let failure = files.values.first ?? folders.values.first { throw failure }
    }
}

/// A failed system call.
package struct SystemError: Error, CustomStringConvertible {
    package var call: String
    package var path: String
    package var number: Int32

    package init(call: String, path: String, number: Int32) {
        self.call = call
        self.path = path
        self.number = number
    }

    /// Whether a write failed because of the size of this file, so that other files can still be written.
    var isFileTooLarge: Bool { number == EFBIG || number == EINVAL }

    var isMissingFile: Bool { number == ENOENT }

    /// Whether the file system lacks the operation.
    var isUnsupported: Bool { [EOPNOTSUPP, ENOTSUP, ENOSYS].contains(number) }

    package var description: String { "\(call) \(path): \(String(cString: strerror(number)))" }
}
