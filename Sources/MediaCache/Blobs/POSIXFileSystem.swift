import CMediaCacheShims
import Foundation
import Synchronization

/// The file system of the operating system.
package struct POSIXFileSystem: BlobFileSystem {
    /// The number of files and folders at which syncing the whole file system becomes faster.
    private static let batchThreshold = 8

    package init() {}

    package func open(_ path: String, creating: Bool) throws -> any BlobFile {
        let flags = O_RDWR | O_CLOEXEC | (creating ? O_CREAT : 0)
        do {
            return try POSIXFile(path: path, flags: flags)
        } catch let error as SystemError where [EROFS, EACCES, EPERM].contains(error.number) {
            // A file without write permission may be readable.
            guard let file = try? POSIXFile(path: path, flags: O_RDONLY | O_CLOEXEC) else { throw error }
            return file
        }
    }

    package func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("unlink", path) }
    }

    package func rename(_ source: String, to destination: String) throws {
        guard Foundation.rename(source, destination) == 0 else { throw failure("rename", source) }
    }

    package func link(_ source: String, to destination: String) throws {
        guard Foundation.link(source, destination) == 0 || errno == EEXIST else { throw failure("link", destination) }
    }

    package func linkCount(of path: String) throws -> Int {
        var information = stat()
        guard stat(path, &information) == 0 else { throw failure("stat", path) }
        return Int(information.st_nlink)
    }

    package func makeFolder(_ path: String) throws {
        let parent = Self.parent(of: path)
        if mkdir(path, 0o700) != 0 {
            if errno == EEXIST { return }
            guard errno == ENOENT, parent != path else { throw failure("mkdir", path) }
            try makeFolder(parent)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("mkdir", path) }
        }
        // The folder's entry must survive a power failure, like its content.
        try syncFolder(parent)
    }

    package func sync(_ files: [any BlobFile], folders: Set<String>) -> SyncFailures {
        var devices: [dev_t: DeviceBatch] = [:]
        for (index, file) in files.enumerated() {
            guard let file = file as? POSIXFile else { continue }
            devices[file.device, default: DeviceBatch()].add(file, index)
        }
        for folder in folders {
            var information = stat()
            if stat(folder, &information) == 0 {
                devices[information.st_dev, default: DeviceBatch()].folders.append(folder)
            }
        }
        var (eachFile, eachFolder) = (files as [(any BlobFile)?], folders)
        for (device, batch) in devices where batch.count >= Self.batchThreshold && batch.sync(on: device) {
            // One file or folder is still synced individually, which also detects a file system that has shut down
            // after an error, and makes the disk write its cache.
            for index in batch.files where index != batch.oldest?.index { eachFile[index] = nil }
            eachFolder.subtract(batch.folders.dropFirst(batch.oldest == nil ? 1 : 0))
        }
        return syncEach(eachFile, folders: eachFolder)
    }

    package func syncFolder(_ path: String) throws {
        let descriptor = Self.openDescriptor(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("fsync", path) }
    }

    package func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw failure("opendir", folder)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    package func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    package func freeBytes(at path: String) throws -> Int64 {
        var information = statvfs()
        guard statvfs(path, &information) == 0 else { throw failure("statvfs", path) }
        return Int64(information.f_bavail) * Int64(information.f_frsize)
    }

    package func replace(_ path: String, with bytes: [UInt8]) throws {
        let temporary = "\(path).\(getpid()).new"
        do {
            let file = try POSIXFile(path: temporary, flags: O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
            try file.sync()
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
        try syncFolder(Self.parent(of: path))
    }

    package func contents(of path: String) throws -> [UInt8] {
        let file = try POSIXFile(path: path, flags: O_RDONLY | O_CLOEXEC)
        var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
        try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return bytes
    }

    package static func parent(of path: String) -> String {
        guard let end = path.lastIndex(of: "/") else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    fileprivate static func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
        Foundation.open(path, flags, 0o600)
    }
}

private func failure(_ call: String, _ path: String) -> SystemError {
    SystemError(call: call, path: path, number: errno)
}

/// The files and folders of a file system that are synced together.
private struct DeviceBatch {
    /// The file systems that have reported a failure. Locked while one is synced, because a failure is reported only
    /// once, perhaps to a sync of unaffected files.
    private static let failed = Mutex<Set<dev_t>>([])

    /// The file that was opened first. A sync through its descriptor reports writes that have failed since then.
    private(set) var oldest: (file: POSIXFile, index: Int)?
    /// The positions of the files in the caller's list.
    private(set) var files: [Int] = []
    var folders: [String] = []

    var count: Int { files.count + folders.count }

    mutating func add(_ file: POSIXFile, _ index: Int) {
        files.append(index)
        if oldest.map({ file.number < $0.file.number }) ?? true { oldest = (file, index) }
    }

    /// Makes all writes to the file system durable. Returns false if that isn't certain; syncing each file is then
    /// necessary, but faster than before.
    func sync(on device: dev_t) -> Bool {
        Self.failed.withLock { failed in
            switch result() {
            case 1: return !failed.contains(device)
            case 0: return false
            default:
                failed.insert(device)
                return false
            }
        }
    }

    private func result() -> Int32 {
        if let oldest { return mc_sync_file_system(oldest.file.descriptor) }
        let descriptor = POSIXFileSystem.openDescriptor(folders[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return mc_sync_file_system(descriptor)
    }
}

/// An open file of the operating system.
final class POSIXFile: BlobFile {
    /// The distance between samples in bytes: the typical read-ahead of operating systems.
    private static let sampleDistance = 128 << 10
    /// The time for which a range found in memory is assumed to stay there, which saves system calls.
    private static let sampleLifetime = Duration.seconds(1)

    let path: String
    fileprivate let descriptor: Int32
    private let isWritable: Bool
    /// The device number of the file system.
    fileprivate let device: dev_t
    /// The number of this file in the order in which files were opened.
    fileprivate let number = opened.add(1, ordering: .relaxed).newValue
    private static let opened = Atomic(0)
    /// The range last found in memory, and the time.
    private let sampled = Mutex<(range: Range<Int64>, since: ContinuousClock.Instant)?>(nil)

    convenience init(path: String, flags: Int32) throws {
        let descriptor = POSIXFileSystem.openDescriptor(path, flags)
        try self.init(owning: descriptor, path: path, isWritable: flags & O_ACCMODE == O_RDWR)
    }

    /// Creates a file from the result of the call that opened it.
    init(owning descriptor: Int32, path: String, isWritable: Bool = false) throws {
        guard descriptor >= 0 else { throw failure("open", path) }
        self.path = path
        self.descriptor = descriptor
        var information = stat()
        device = fstat(descriptor, &information) == 0 ? information.st_dev : 0
        self.isWritable = isWritable
    }

    deinit { close(descriptor) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        guard isWritable else { throw SystemError(call: "pwrite", path: path, number: EROFS) }
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("pwrite", path)
            }
            done += count
        }
    }

    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        let count = mc_pread_nowait(descriptor, buffer.baseAddress, buffer.count, offset)
        if count == buffer.count { return true }
        if count >= 0 || errno == EAGAIN || errno == ENOTSUP || errno == EINTR { return false }
        throw failure("preadv2", path)
    }

    func descriptor(forSending range: Range<Int64>) -> Int32? {
        guard !range.isEmpty else { return nil }
        let now = ContinuousClock.now
        let isKnown = sampled.withLock { sampled in
            sampled.map { $0.range.contains(range) && now - $0.since < Self.sampleLifetime } ?? false
        }
        if isKnown { return descriptor }
        // Samples may miss pages that aren't in memory. The sender then waits for the disk.
        var byte: UInt8 = 0
        for offset in stride(from: range.lowerBound, to: range.upperBound - 1, by: Self.sampleDistance) {
            guard mc_pread_nowait(descriptor, &byte, 1, offset) == 1 else { return nil }
        }
        guard mc_pread_nowait(descriptor, &byte, 1, range.upperBound - 1) == 1 else { return nil }
        sampled.withLock { $0 = (range, now) }
        return descriptor
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw failure("pread", path)
            }
            guard count > 0 else { throw SystemError(call: "pread past the end of", path: path, number: EIO) }
            done += count
        }
    }

    func sync() throws {
        guard mc_sync_data(descriptor) == 0 else { throw failure("fdatasync", path) }
    }

    func punch(_ range: Range<Int64>) throws {
        guard mc_punch_hole(descriptor, range.lowerBound, Int64(range.count)) == 0 else {
            throw failure("fallocate", path)
        }
    }

    func size() throws -> Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw failure("fstat", path) }
        return Int64(information.st_size)
    }
}
