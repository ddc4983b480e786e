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

    /// Does it.
    ///
    /// - Throws: ``CommandFailure``, naming the file and the system's reason.
    func run() throws -> Method {
        let place = OutputTarget(path: target, overwrites: overwrites)
        try place.check()
        let temporary = place.temporaryName()
        defer { unlink(temporary) }
        let method = try fill(temporary)
        try place.place(temporary)
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

    private func failure(_ action: String, _ path: String) -> CommandFailure {
        OutputTarget(path: target, overwrites: overwrites).failure(action, path)
    }
}
