internal import CMediaCacheShims
internal import Foundation

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A copy of a cached file outside the cache: a reflink if possible, otherwise a hard link or a copy of the bytes.
public struct FileCopy: Sendable, Hashable {
    /// The method of a copy.
    public enum Method: String, Sendable, Hashable, Codable {
        /// A reflink: both files share their blocks until one is written to.
        case clone
        /// A hard link: a second name of the same file, so that a change of one changes the other.
        case hardLink
        /// A copy of the bytes.
        case copy
    }

    /// The path of the cached file.
    public var source: String
    /// The path of the copy.
    public var target: OutputTarget

    /// Creates a description of a copy.
    public init(of source: String, to target: OutputTarget) {
        self.source = source
        self.target = target
    }

    /// Makes the copy.
    ///
    /// - Returns: The method that was used.
    /// - Throws: ``MediaJobError`` with `outputExists`, or with the path and the reason reported by the system.
    public func make() throws -> Method {
        try target.check()
        let temporary = target.temporaryName()
        defer { unlink(temporary) }
        let method = try fill(temporary)
        try target.moveToTarget(temporary)
        return method
    }

    private func fill(_ temporary: String) throws -> Method {
        if Self.clone(source, to: temporary) { return .clone }
        if link(source, temporary) == 0 { return .hardLink }
        try copyBytes(to: temporary)
        return .copy
    }

    private func copyBytes(to temporary: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw target.failure("read", source) }
        defer { close(input) }
        let output = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw target.failure("write", target.path) }
        defer { close(output) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let count = read(input, buffer.baseAddress, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw target.failure("read", source) }
            if count == 0 { break }
            var done = 0
            while done < count {
                let written = write(output, buffer.baseAddress?.advanced(by: done), count - done)
                if written < 0 && errno == EINTR { continue }
                guard written > 0 else { throw target.failure("write", target.path) }
                done += written
            }
        }
        guard fsync(output) == 0 else { throw target.failure("write", target.path) }
    }

    /// Makes a reflink. The target must not exist. Returns false, and creates no file, if that isn't possible.
    package static func clone(_ source: String, to target: String) -> Bool {
        #if canImport(Darwin)
            clonefile(source, target, 0) == 0
        #else
            let input = open(source, O_RDONLY | O_CLOEXEC)
            guard input >= 0 else { return false }
            defer { close(input) }
            let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            guard output >= 0 else { return false }
            defer { close(output) }
            if mc_reflink(input, output) == 0 { return true }
            unlink(target)
            return false
        #endif
    }
}
