/// One sparse file, open for reading and writing. Closed when the last reference goes.
package protocol BlobFile: ByteSource {
    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws
    /// Makes what was written durable.
    func sync() throws
    /// Gives a range's disk space back; it then reads as zeros.
    func punch(_ range: Range<Int64>) throws
    /// The file's size in bytes.
    func size() throws -> Int64
}

/// The calls on files that the engine makes for blobs, in one place: a power cut is modelled here.
package protocol BlobFileSystem: Sendable {
    /// Opens a file, made if `creating` and absent. One that may only be read is opened for that, and throws EROFS when
    /// it's written.
    func open(_ path: String, creating: Bool) throws -> any BlobFile
    /// Deletes a file; one that isn't there is no error.
    func remove(_ path: String) throws
    /// Moves a file within a file system; throws EXDEV across.
    func rename(_ source: String, to destination: String) throws
    /// Gives a file a second name.
    func link(_ source: String, to destination: String) throws
    /// How many names a file has.
    func linkCount(of path: String) throws -> Int
    /// Makes a folder and those above it, durably.
    func makeFolder(_ path: String) throws
    /// Makes a folder's entries durable.
    func syncFolder(_ path: String) throws
    /// Writes out what is written so far, for the whole file system that holds a folder, where the system can: many files
    /// are then synced sooner one by one. It makes nothing durable that isn't synced as well.
    func flush(fileSystemOf folder: String)
    /// The names in a folder; an absent folder has none.
    func names(in folder: String) throws -> [String]
    /// Whether there is a file or folder at `path`.
    func exists(_ path: String) -> Bool
    /// Free bytes for this user on the file system that holds `path`.
    func freeBytes(at path: String) throws -> Int64
    /// Writes a small file so that it is there whole or not at all, also after a power cut.
    func replace(_ path: String, with bytes: [UInt8]) throws
    /// A small file's bytes.
    func contents(of path: String) throws -> [UInt8]
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

    /// Whether a write failed because of this file's size alone: the folder accepts other bytes.
    var isFileTooLarge: Bool { number == EFBIG || number == EINVAL }

    package var description: String { "\(call) \(path): \(String(cString: strerror(number)))" }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
