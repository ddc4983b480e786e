internal import Foundation
public import MediaCache

/// The file of a cache's ``AccessKey``: `key` in the cache's durable folder, readable only by its owner.
public struct AccessKeyFile: Sendable, Hashable {
    /// The file's path.
    public let path: String

    /// Creates a reference to the key file of a cache.
    public init(location: CacheLocation) { path = location.durable + "/key" }

    private init(path: String) { self.path = path }

    /// Returns the key of a cache's server: the key in the cache folder or, if that folder has none, the key that the
    /// server stored in a folder for temporary files because it can't write the cache folder. Nil if there is neither.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be read or doesn't contain a key.
    public static func key(of location: CacheLocation) throws -> AccessKey? { try inUse(at: location).load() }

    /// Returns the file that ``key(of:)`` reads. It may not exist.
    package static func inUse(at location: CacheLocation) -> AccessKeyFile {
        let file = AccessKeyFile(location: location)
        guard (try? file.load()) == nil, let path = RuntimeFolder.find("key", for: location) else { return file }
        return AccessKeyFile(path: path)
    }

    /// Returns the key for the server of a folder that can't be written, and creates a key file in the `RuntimeFolder`
    /// if necessary. If that fails, returns a new key that isn't stored.
    package static func keyToRead(_ location: CacheLocation) -> AccessKey {
        if let key = try? AccessKeyFile(location: location).load() { return key }
        let key = try? RuntimeFolder.use("key", for: location) { try AccessKeyFile(path: $0).loadOrCreate() }
        return key ?? AccessKey()
    }

    /// Returns the key, and creates the file if necessary. Processes that create it at the same time get the same key.
    /// A file that other users can access gets a new key, unless the file system doesn't store modes.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be read or written, or doesn't contain a key.
    public func loadOrCreate() throws -> AccessKey {
        if let key = try load() { return try isAccessibleByOtherUsers && storesModes() ? roll() : key }
        let key = AccessKey()
        let temporary = try writeTemporary(key)
        defer { unlink(temporary) }
        // Unlike a rename, a link doesn't replace a file that another process has just created.
        if link(temporary, path) == 0 { return key }
        // Some file systems, such as exFAT, don't support links.
        if errno != EEXIST, try create(path, with: key) { return key }
        if let other = try load() { return other }
        throw failure("can't create the key file", EEXIST)
    }

    /// Whether the file's mode gives any access to users other than its owner.
    package var isAccessibleByOtherUsers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    /// Returns whether the folder's file system stores modes. On others, such as exFAT, a new key would be as
    /// accessible as the old one.
    private func storesModes() throws -> Bool {
        let temporary = try writeTemporary(AccessKey())
        defer { unlink(temporary) }
        return !AccessKeyFile(path: temporary).isAccessibleByOtherUsers
    }

    /// Returns the key, or nil if the file doesn't exist. If another process is writing the file, waits up to a second.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be read or doesn't contain a key.
    public func load() throws -> AccessKey? {
        // Blocks the thread, but only on a file system without links, while another process writes the first key.
        try load { usleep(100_000) }
    }

    private static let maximumAttempts = 10

    /// Returns the key as ``load()`` does.
    ///
    /// - Parameter pause: Called before each further attempt to read a file that is being written, which is possible on
    ///   file systems without links.
    package func load(pausing pause: () -> Void) throws -> AccessKey? {
        for attempt in 1... {
            guard let bytes = try contents() else { return nil }
            if let key = AccessKey(String(decoding: bytes.filter { $0 > 0x20 }, as: UTF8.self)) { return key }
            // A new file ends with a line feed.
            if bytes.last == UInt8(ascii: "\n") || attempt == Self.maximumAttempts { break }
            pause()
        }
        throw CacheError(.storage, "the key file \(path) doesn't contain a key; remove it to have a new one created")
    }

    /// Returns the first 256 bytes of the file, or nil if it doesn't exist.
    private func contents() throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("can't read the key file", errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw failure("can't read the key file", errno) }
        return Array(bytes.prefix(count))
    }

    /// Replaces the key with a new one and returns when the file is durable.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be written.
    public func roll() throws -> AccessKey {
        let key = AccessKey()
        let temporary = try writeTemporary(key)
        guard rename(temporary, path) == 0 else {
            let reason = errno
            unlink(temporary)
            throw failure("can't replace the key file", reason)
        }
        syncFolder()
        return key
    }

    /// Makes a replacement durable. A failure is ignored, since restoring the old key would be worse.
    private func syncFolder() {
        let descriptor = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func writeTemporary(_ key: AccessKey) throws -> String {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        guard try create(temporary, with: key) else { throw failure("can't create the key file", EEXIST) }
        return temporary
    }

    /// Creates a file that contains a key. Returns false if the file exists, and leaves it unchanged.
    private func create(_ file: String, with key: AccessKey) throws -> Bool {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            if errno == EEXIST { return false }
            throw failure("can't create the key file", errno)
        }
        defer { close(descriptor) }
        let bytes = Array((key.value + "\n").utf8)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(descriptor) == 0 else {
            let reason = errno
            unlink(file)
            throw failure("can't write the key file", reason)
        }
        return true
    }

    private func failure(_ action: String, _ code: Int32) -> CacheError {
        CacheError(.storage, "\(action) \(path): \(String(cString: strerror(code)))")
    }
}
