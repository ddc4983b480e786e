import Foundation

/// The content of a request (RFC 9110 §6.4): bytes in memory, or a range of a file that is read while it is sent.
public struct RequestContent: Sendable {
    private enum Source: Sendable {
        case bytes([UInt8])
        case file(POSIXFile, offset: Int64)
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
        try self.init(path, range) { try POSIXFile(path: path, flags: O_RDONLY | O_CLOEXEC) }
    }

    /// Creates content from an open file. The descriptor is duplicated, and its position isn't used.
    ///
    /// - Parameter range: The byte range to send; nil for the whole file.
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if the file can't be read or is too short.
    public init(descriptor: CInt, range: Range<Int64>? = nil) throws(CacheError) {
        let name = "descriptor \(descriptor)"
        try self.init(name, range) { try POSIXFile(owning: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), path: name) }
    }

    private init(_ name: String, _ range: Range<Int64>?, _ open: () throws -> POSIXFile) throws(CacheError) {
        let file: POSIXFile
        let size: Int64
        do {
            file = try open()
            size = try file.size()
        } catch {
            throw Self.failure(name, error)
        }
        let range = range ?? 0..<size
        guard range.lowerBound >= 0, range.upperBound <= size else {
            throw CacheError(
                .storage, "bytes \(range) of \(name) can't be sent: the file has only \(size) bytes")
        }
        source = .file(file, offset: range.lowerBound)
        length = range.upperBound - range.lowerBound
    }

    /// Copies bytes of the content. Reading a file may wait for the disk.
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
        case .file(let file, let start):
            do {
                try file.read(into: target, at: start + offset)
                return count
            } catch {
                throw Self.failure(file.path, error)
            }
        }
    }

    private static func failure(_ name: String, _ cause: any Error) -> CacheError {
        CacheError(
            .storage, "\(name) can't be read; check that it exists and is readable, and that it isn't being changed",
            cause: cause)
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
