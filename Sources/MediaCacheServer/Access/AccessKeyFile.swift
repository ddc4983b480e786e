public import MediaCache

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where a cache's ``AccessKey`` is kept: the file `key` in its durable folder, readable by its owner alone.
public struct AccessKeyFile: Sendable, Hashable {
    /// The file's path.
    public let path: String

    /// The key file of a cache.
    public init(location: CacheLocation) {
        path = location.durable + "/key"
    }

    private init(path: String) {
        self.path = path
    }

    /// The key by which a cache's owner can be asked: of its folder, or where that has none and can't be written, the
    /// one that its owner put among the system's temporary files. Nil if there is neither.
    ///
    /// - Throws: `CacheError` with `storage` if a file can't be read or holds no key.
    public static func key(of location: CacheLocation) throws -> AccessKey? {
        if let key = try? AccessKeyFile(location: location).load() { return key }
        if let path = RuntimeFolder.find("key", for: location) { return try AccessKeyFile(path: path).load() }
        return try AccessKeyFile(location: location).load()
    }

    /// The same for the owner, who makes one if there is none yet.
    static func keyToRead(_ location: CacheLocation) -> AccessKey {
        if let key = try? AccessKeyFile(location: location).load() { return key }
        let key = try? RuntimeFolder.use("key", for: location) { try AccessKeyFile(path: $0).loadOrCreate() }
        return key ?? AccessKey()
    }

    /// The key; made if there is none yet. Of several processes that make one at once, one wins and all get that. A key
    /// that other users could have read is replaced: URLs with the old one stop working.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be read or written, or holds no key.
    public func loadOrCreate() throws -> AccessKey {
        if let key = try load() { return isOpenToOthers ? try roll() : key }
        let key = AccessKey()
        let temporary = try writeTemporary(key)
        defer { unlink(temporary) }
        // A link fails where a rename would replace what another process has just made.
        if link(temporary, path) == 0 { return key }
        let reason = errno
        if reason == EEXIST, let other = try load() { return other }
        throw failure("can't make the key file", reason)
    }

    /// Whether the file's mode gives other users than its owner any access.
    var isOpenToOthers: Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }

    /// The key, or nil if there is no file.
    ///
    /// - Throws: `CacheError` with `storage` if the file can't be read or holds no key.
    public func load() throws -> AccessKey? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("can't read the key file", errno)
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw failure("can't read the key file", errno) }
        let text = String(decoding: bytes.prefix(count).filter { $0 > 0x20 }, as: UTF8.self)
        guard let key = AccessKey(text) else {
            throw CacheError(.storage, "the key file \(path) holds no key; remove it and a new one is made")
        }
        return key
    }

    /// Makes a new key that replaces the old one. Returns when it's durable.
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

    /// Makes the folder's entry of the file durable. A failure is no reason to go back to a key that was to be replaced.
    private func syncFolder() {
        let descriptor = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func writeTemporary(_ key: AccessKey) throws -> String {
        let temporary = "\(path).\(getpid()).\(UInt32.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("can't make the key file", errno) }
        defer { close(descriptor) }
        let bytes = Array((key.value + "\n").utf8)
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count, fsync(descriptor) == 0 else {
            let reason = errno
            unlink(temporary)
            throw failure("can't write the key file", reason)
        }
        return temporary
    }

    private func failure(_ what: String, _ code: Int32) -> CacheError {
        CacheError(.storage, "\(what) \(path): \(String(cString: strerror(code)))")
    }
}
