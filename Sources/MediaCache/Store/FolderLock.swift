import CMediaCacheShims
import Foundation

/// The lock that makes one process the owner of a cache folder. The system releases it when the process ends, even
/// after a crash.
///
/// If the folder isn't writable, a lock file in the runtime folder identifies the owner, and the folder's own lock, if
/// any, is shared with other readers.
package final class FolderLock: Sendable {
    private let descriptor: Int32
    /// The path of the file of ``descriptor``.
    private let path: String
    /// The folder's own lock if ``descriptor`` refers to another file, which is temporary.
    private let shared: Int32?
    private let isTemporary: Bool

    /// Acquires the lock for writing.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process has it; ``SystemError`` if the
    ///   folder isn't writable.
    package init(location: CacheLocation) throws {
        if let path = RuntimeFolder.find(Self.name, for: location), let owner = Self.owner(at: path) {
            throw Self.owned(location, by: owner)
        }
        path = Self.path(location)
        descriptor = try Self.acquire(path, location)
        shared = nil
        isTemporary = false
        try announce(address: nil)
    }

    /// Acquires the lock for reading a folder that isn't writable.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process has it; ``SystemError`` if the
    ///   lock file can't be created in any folder.
    package init(toRead location: CacheLocation) throws {
        shared = try Self.share(location)
        do {
            (descriptor, path) = try RuntimeFolder.use(Self.name, for: location) { path in
                let descriptor = try Self.acquire(path, location)
                do {
                    try Self.write(address: nil, to: descriptor, path)
                } catch {
                    close(descriptor)
                    throw error
                }
                return (descriptor, path)
            }
            isTemporary = true
        } catch {
            if let shared { close(shared) }
            throw error
        }
    }

    deinit {
        if isTemporary { unlink(path) }
        for descriptor in [descriptor, shared].compactMap({ $0 }) {
            // A forked child has copies of the descriptors until it calls exec, so closing them here wouldn't release
            // the lock.
            _ = mc_unlock(descriptor)
            close(descriptor)
        }
    }

    private static func acquire(_ path: String, _ location: CacheLocation) throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(call: "open", path: path, number: errno) }
        guard isAcquired(by: { mc_lock_exclusive(descriptor) }) else {
            let number = errno
            close(descriptor)
            guard number == EWOULDBLOCK else { throw SystemError(call: "flock", path: path, number: number) }
            throw owned(location, by: owner(of: location))
        }
        return descriptor
    }

    /// Acquires the shared lock that excludes writers; returns nil if the folder has no lock file.
    private static func share(_ location: CacheLocation) throws -> Int32? {
        let descriptor = open(path(location), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard isAcquired(by: { mc_lock_shared(descriptor) }) else {
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
                + (owner?.address.map { ", which serves its API at \($0)" } ?? ""))
    }

    /// Returns whether a lock was acquired. Retries for 40 ms, because a process that determines the owner holds it
    /// briefly. Blocks.
    private static func isAcquired(by lock: () -> Int32) -> Bool {
        for _ in 0..<20 {
            if lock() == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            poll(nil, 0, 2)
        }
        return lock() == 0
    }

    package func announce(address: String?) throws { try Self.write(address: address, to: descriptor, path) }

    package static func owner(of location: CacheLocation) -> FolderOwner? {
        let other = RuntimeFolder.find(name, for: location).flatMap { owner(at: $0) }
        return other ?? owner(at: path(location))
    }

    private static func owner(at path: String) -> FolderOwner? {
        var descriptor = open(path, O_RDWR | O_CLOEXEC)
        if descriptor < 0 { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // If the lock can be acquired, there is no owner. Closing the descriptor releases it immediately.
        guard mc_lock_exclusive(descriptor) != 0, errno == EWOULDBLOCK else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = max(0, pread(descriptor, &bytes, bytes.count, 0))
        return (try? JSONDecoder().decode(FolderOwner.self, from: Data(bytes[..<count])))
            ?? FolderOwner(processID: 0, address: nil)
    }

    private static func write(address: String?, to descriptor: Int32, _ path: String) throws {
        let data = try JSONEncoder().encode(FolderOwner(processID: getpid(), address: address))
        let count = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == data.count else {
            // A short write sets no error.
            throw SystemError(call: "pwrite", path: path, number: count < 0 ? errno : ENOSPC)
        }
        guard ftruncate(descriptor, off_t(count)) == 0 else {
            throw SystemError(call: "ftruncate", path: path, number: errno)
        }
    }

    private static let name = "lock"

    private static func path(_ location: CacheLocation) -> String { "\(location.durable)/\(name)" }
}
