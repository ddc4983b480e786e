import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Puts a kept file where a person wants it: by reflink, else hard link, else copy. The target appears whole or not at
/// all.
struct FileExport: Sendable, Hashable {
    /// How the bytes got there.
    enum Method: String, Sendable, Hashable, Codable {
        /// The file system shares the blocks until one side writes.
        case clone
        /// A second name of the same file.
        case hardLink
        /// A copy of the bytes.
        case copy
    }

    /// The kept file. It is never changed.
    var source: String
    /// Where it is to be.
    var target: String
    /// Whether a file of that name may be replaced.
    var overwrites: Bool

    /// Whether a file could be put at `target`, before anything is fetched for it.
    ///
    /// - Throws: ``CommandFailure``, naming the file and what is in the way.
    static func check(_ target: String, overwrites: Bool) throws {
        if !overwrites, access(target, F_OK) == 0 { throw exists(target) }
        let folder = folder(of: target)
        guard access(folder.isEmpty ? "." : folder, W_OK | X_OK) == 0 else {
            throw CommandFailure(.failed, "can't write “\(target)”: \(String(cString: strerror(errno)))")
        }
    }

    /// Does it.
    ///
    /// - Throws: ``CommandFailure``, naming the file and the system's reason.
    func run() throws -> Method {
        try Self.check(target, overwrites: overwrites)
        let temporary = temporaryName()
        defer { unlink(temporary) }
        let method = try fill(temporary)
        // It's the person's file now: as open to others as what that person makes.
        let mask = umask(0)
        umask(mask)
        chmod(temporary, 0o666 & ~mask)
        if overwrites {
            // rename(2) of two names of one file does nothing and leaves both; then the target is right already.
            guard rename(temporary, target) == 0 else { throw failure("put it at", target) }
        } else if link(temporary, target) != 0 {
            if errno == EEXIST { throw Self.exists(target) }
            // A file system without hard links: rename, which would replace a file that appeared just now.
            guard access(target, F_OK) != 0, rename(temporary, target) == 0 else { throw failure("put it at", target) }
        }
        return method
    }

    private func fill(_ temporary: String) throws -> Method {
        if FileClone.make(from: source, to: temporary) { return .clone }
        if link(source, temporary) == 0 { return .hardLink }
        try copy(to: temporary)
        return .copy
    }

    private func copy(to temporary: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failure("read", source) }
        defer { close(input) }
        let output = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw failure("write", target) }
        defer { close(output) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = read(input, buffer.baseAddress, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", source) }
            if count == 0 { break }
            var done = 0
            while done < count {
                let written = write(output, buffer.baseAddress?.advanced(by: done), count - done)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw failure("write", target) }
                done += written
            }
        }
        guard fsync(output) == 0 else { throw failure("write", target) }
    }

    /// In the target's folder, so that the last step stays within one file system.
    private func temporaryName() -> String {
        "\(Self.folder(of: target)).mediacache-\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16)).part"
    }

    /// The path up to its last slash, the slash included; empty if there is none.
    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    private static func exists(_ target: String) -> CommandFailure {
        CommandFailure(.failed, "“\(target)” is there already; --force replaces it")
    }

    private func failure(_ action: String, _ path: String) -> CommandFailure {
        CommandFailure(.failed, "can't \(action) “\(path)”: \(String(cString: strerror(errno)))")
    }
}
