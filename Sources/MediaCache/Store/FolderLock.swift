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
package final class FolderLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/folderOwned`` if another process has it,
    ///   ``CacheError/Code/storage`` if the folder can't be written.
    package init(location: CacheLocation) throws {
        let path = Self.path(location)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CacheError(
                .storage, "the cache folder \(location.durable) can't be written",
                cause: SystemError(call: "open", path: path, number: errno))
        }
        guard Self.lock(descriptor) else {
            let number = errno
            close(descriptor)
            guard number == EWOULDBLOCK else {
                throw CacheError(
                    .storage, "the cache folder \(location.durable) can't be locked",
                    cause: SystemError(call: "flock", path: path, number: number))
            }
            let owner = Self.owner(of: location)
            throw CacheError(
                .folderOwned,
                "the cache folder \(location.durable) is owned by process \(owner.map { "\($0.processID)" } ?? "?")"
                    + (owner?.address.map { ", whose API answers at \($0)" } ?? ""),
                cause: SystemError(call: "flock", path: path, number: number))
        }
        try write(FolderOwner(processID: getpid(), address: nil))
    }

    deinit { close(descriptor) }

    /// Who asks for the owner holds the lock for an instant: a few looks tell that from an owner. Blocks.
    private static func lock(_ descriptor: Int32) -> Bool {
        for _ in 0..<20 {
            if mc_lock_exclusive(descriptor) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            poll(nil, 0, 2)
        }
        return mc_lock_exclusive(descriptor) == 0
    }

    /// Tells where the owner's API answers.
    package func announce(address: String?) throws {
        try write(FolderOwner(processID: getpid(), address: address))
    }

    /// Who holds the lock now, or nil if nobody does.
    package static func owner(of location: CacheLocation) -> FolderOwner? {
        let descriptor = open(path(location), O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Whoever can lock it has nobody before him; the lock goes with the descriptor at once.
        if mc_lock_exclusive(descriptor) == 0 { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return FolderOwner(processID: 0, address: nil) }
        return (try? JSONDecoder().decode(FolderOwner.self, from: Data(bytes[..<count])))
            ?? FolderOwner(processID: 0, address: nil)
    }

    private func write(_ owner: FolderOwner) throws {
        let data = try JSONEncoder().encode(owner)
        let count = data.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == data.count, ftruncate(descriptor, off_t(count)) == 0 else {
            throw SystemError(call: "pwrite", path: "lock", number: errno)
        }
    }

    private static func path(_ location: CacheLocation) -> String { "\(location.durable)/lock" }
}
