#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The content of a request (RFC 9110 §6.4): bytes in memory, or a range of a file that is read while it is sent.
public struct RequestContent: Sendable {
    private enum Source: Sendable {
        case bytes([UInt8])
        case file(ContentFile, offset: Int64)
    }

    private let source: Source
    /// The length in bytes, sent as `Content-Length`.
    public let length: Int64

    /// Creates content in memory.
    public init(_ bytes: [UInt8]) {
        source = .bytes(bytes)
        length = Int64(bytes.count)
    }

    /// Opens a file. It is closed when the last copy of the content is released.
    ///
    /// - Parameter range: The byte range to send; nil for the whole file.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the file can't be opened or is too short.
    public init(path: String, range: Range<Int64>? = nil) throws(CacheError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        try self.init(owning: descriptor, named: path, range: range)
    }

    /// Creates content from an open file. The descriptor is duplicated, and its position isn't used.
    ///
    /// - Parameter range: The byte range to send; nil for the whole file.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the file can't be read or is too short.
    public init(descriptor: CInt, range: Range<Int64>? = nil) throws(CacheError) {
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        try self.init(owning: duplicate, named: "descriptor \(descriptor)", range: range)
    }

    private init(owning descriptor: CInt, named name: String, range: Range<Int64>?) throws(CacheError) {
        guard descriptor >= 0 else { throw ContentFile.failure("open", name) }
        let file = ContentFile(descriptor: descriptor, name: name)
        let size = try file.size()
        let range = range ?? 0..<size
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw CacheError(
                .storage, "bytes \(range) of \(name) can't be sent: the file has only \(size) bytes")
        }
        source = .file(file, offset: range.lowerBound)
        length = range.upperBound - range.lowerBound
    }

    /// Copies bytes of the content. A file is read with one call of the system, which may wait for the disk.
    ///
    /// - Parameter offset: The offset of the first byte, from 0 to ``length``.
    /// - Returns: The number of bytes, at most the buffer's; 0 only for an empty buffer, or at ``length``.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the file can't be read or has become too short.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        let count = Int(min(Int64(buffer.count), length - offset))
        guard count > 0 else { return 0 }
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        switch source {
        case .bytes(let bytes):
            let range = Int(offset)..<Int(offset) + count
            bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
            return count
        case .file(let file, let start): return try file.read(into: target, at: start + offset)
        }
    }

    /// Whether reading the content may wait for a disk.
    package var isFile: Bool {
        if case .file = source { true } else { false }
    }

    /// Returns the whole content. Blocks if it is a file.
    ///
    /// - Throws: ``CacheError`` like ``read(into:at:)``.
    package func bytes() throws -> [UInt8] {
        if case .bytes(let bytes) = source { return bytes }
        return try [UInt8](unsafeUninitializedCapacity: Int(length)) { buffer, count in
            while count < length {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                count += try read(into: rest, at: Int64(count))
            }
        }
    }
}

/// An open file, closed by its deallocation.
private final class ContentFile: Sendable {
    let descriptor: CInt
    let name: String

    init(descriptor: CInt, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit { close(descriptor) }

    static func failure(_ call: String, _ name: String) -> CacheError {
        CacheError(
            .storage, "\(name) can't be read; check that it exists and its permissions",
            cause: SystemError(call: call, path: name, number: errno))
    }

    func size() throws(CacheError) -> Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else { throw Self.failure("fstat", name) }
        return Int64(information.st_size)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(CacheError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            guard count < 0 else {
                throw CacheError(.storage, "\(name) can't be sent: it has become shorter than \(offset) bytes")
            }
            guard errno == EINTR else { throw Self.failure("pread", name) }
        }
    }
}
