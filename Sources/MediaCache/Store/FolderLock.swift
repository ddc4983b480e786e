import CMediaCacheShims
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The lock by which one process owns a cache folder. It goes with the process, however that ends.
///
/// Where the folder can't be written, what would be said in its lock is said in one of the runtime folder, and the
/// folder's own, if there is one, is held together with others that only read.
package final class FolderLock: Sendable {
    private let descriptor: Int32
    /// The folder's own lock, where ``descriptor`` is of another file.
    private let shared: Int32?
    /// That file.
    private let temporary: String?

    /// Takes the lock, to write to the folder.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process has it; an error of the system if
    ///   the folder can't be written.
    package init(location: CacheLocation) throws {
        if let path = RuntimeFolder.find(Self.name, for: location), let owner = Self.owner(at: path) {
            throw Self.owned(location, by: owner)
        }
        descriptor = try Self.take(Self.path(location), location)
        shared = nil
        temporary = nil
        try write(FolderOwner(processID: getpid(), address: nil))
    }

    /// Takes the lock of a folder that can't be written, to read what is there.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process has it, or an error of the system
    ///   if there is no place for a lock.
    package init(toRead location: CacheLocation) throws {
        shared = try Self.share(location)
        do {
            (descriptor, temporary) = try RuntimeFolder.use(Self.name, for: location) { path in
                let descriptor = try Self.take(path, location)
                do {
                    try Self.write(FolderOwner(processID: getpid(), address: nil), to: descriptor)
                } catch {
                    close(descriptor)
                    throw error
                }
                return (descriptor, path)
            }
        } catch {
            if let shared { close(shared) }
            throw error
        }
    }

    deinit {
        if let temporary { unlink(temporary) }
        for descriptor in [descriptor, shared].compactMap({ $0 }) {
            // A child that was just forked has copies until its program starts; closing alone would leave it the lock.
            _ = mc_unlock(descriptor)
            close(descriptor)
        }
    }

    private static func take(_ path: String, _ location: CacheLocation) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(call: "open", path: path, number: errno) }
        guard isTaken(by: { mc_lock_exclusive(descriptor) }) else {
            let number = errno
            close(descriptor)
            guard number == EWOULDBLOCK else { throw SystemError(call: "flock", path: path, number: number) }
            throw owned(location, by: owner(of: location))
        }
        return descriptor
    }

    /// Keeps who could write to the folder out of it; nil if it has no lock.
    private static func share(_ location: CacheLocation) throws -> Int32? {
        let descriptor = open(path(location), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard isTaken(by: { mc_lock_shared(descriptor) }) else {
            let isOwned = errno == EWOULDBLOCK
            close(descriptor)
            if isOwned { throw owned(location, by: owner(at: path(location))) }
            return nil
        }
        return descriptor
    }

    private static func owned(_ location: CacheLocation, by owner: FolderOwner?) -> CacheError {
        CacheError(
            .folderOwned,
            "the cache folder \(location.durable) is owned by process \(owner.map { "\($0.processID)" } ?? "?")"
                + (owner?.address.map { ", whose API answers at \($0)" } ?? ""))
    }

    /// Who asks for the owner holds the lock for an instant: a few looks tell that from an owner. Blocks.
    private static func isTaken(by lock: () -> Int32) -> Bool {
        for _ in 0..<20 {
            if lock() == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            poll(nil, 0, 2)
        }
        return lock() == 0
    }

    /// Tells where the owner's API answers.
    package func announce(address: String?) throws {
        try write(FolderOwner(processID: getpid(), address: address))
    }

    /// Who holds the lock now, or nil if nobody does.
    package static func owner(of location: CacheLocation) -> FolderOwner? {
        let other = RuntimeFolder.find(name, for: location).flatMap { owner(at: $0) }
        return other ?? owner(at: path(location))
    }

    private static func owner(at path: String) -> FolderOwner? {
        var descriptor = open(path, O_RDWR | O_CLOEXEC)
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Whoever can lock it has nobody before him; the lock goes with the descriptor at once.
        guard mc_lock_exclusive(descriptor) != 0, errno == EWOULDBLOCK else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return FolderOwner(processID: 0, address: nil) }
        return (try? JSONDecoder().decode(FolderOwner.self, from: Data(bytes[..<count])))
            ?? FolderOwner(processID: 0, address: nil)
    }

    private func write(_ owner: FolderOwner) throws { try Self.write(owner, to: descriptor) }

    private static func write(_ owner: FolderOwner, to descriptor: Int32) throws {
        let data = try JSONEncoder().encode(owner)
        let count = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == data.count, ftruncate(descriptor, off_t(count)) == 0 else {
            throw SystemError(call: "pwrite", path: name, number: errno)
        }
    }

    private static let name = "lock"

    private static func path(_ location: CacheLocation) -> String { "\(location.durable)/\(name)" }
}
