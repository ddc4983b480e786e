#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A source that reads a file by position, so that several readers can share it.
public final class FileSource: ByteSource, Sendable {
    /// The length of the file in bytes when it was opened.
    public let length: Int64
    private let file: OpenFile

    /// Opens a file for reading. Throws `inputOutput` when the file can't be opened or, like a pipe, can't be read by
    /// position.
    public init(path: String) throws(ContainerError) {
        // Without `O_NONBLOCK`, opening a pipe blocks until it has a writer. The check below rejects pipes.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw ContainerError(.inputOutput, "\(path) can't be opened: \(OpenFile.reason)")
        }
        let length = lseek(descriptor, 0, SEEK_END)
        guard length >= 0 else {
            close(descriptor)
            throw ContainerError(.inputOutput, "\(path) can't be opened: it isn't a regular file")
        }
        file = OpenFile(descriptor)
        self.length = Int64(length)
    }

    /// Reads from the file; see ``ByteSource/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try file.read(at: offset, into: buffer)
    }
}

/// A sink that writes a file by position.
public final class FileSink: RandomAccessSink, Sendable {
    private let file: OpenFile

    /// Creates a file, or truncates an existing one. Throws `inputOutput` when the file can't be created.
    public init(path: String) throws(ContainerError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ContainerError(.inputOutput, "\(path) can't be created: \(OpenFile.reason)")
        }
        file = OpenFile(descriptor)
    }

    /// Writes bytes at an offset; see ``RandomAccessSink/write(_:at:)``.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pwrite(file.descriptor, base + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw ContainerError(.inputOutput, "can't write the file: \(OpenFile.reason)", at: offset)
            }
            done += count
        }
    }

    /// Makes Linux start writing bytes that won't change to disk, which shortens a later ``synchronize()``. Doesn't
    /// wait. Does nothing on other systems.
    public func startWriting(_ range: Range<Int64>) {
        #if os(Linux)
            // The advice starts writing dirty pages to disk. The kernel can't drop them before they are clean.
            posix_fadvise(
                file.descriptor, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound),
                POSIX_FADV_DONTNEED)
        #endif
    }

    /// Waits until the system has written the file to disk. Throws `inputOutput` when it can't be written.
    public func synchronize() throws(ContainerError) {
        guard fsync(file.descriptor) == 0 else {
            throw ContainerError(.inputOutput, "can't write the file: \(OpenFile.reason)")
        }
    }

    /// Reads written bytes; see ``RandomAccessSink/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try file.read(at: offset, into: buffer)
    }
}

/// An open file descriptor for positional I/O, closed with its last reference.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// The system's description of the last failed call.
    static var reason: String { String(cString: strerror(errno)) }

    /// Reads bytes. Returns less than the size of the buffer only at the end of the file.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let count = pread(descriptor, base + done, buffer.count - done, off_t(offset) + off_t(done))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw ContainerError(.inputOutput, "can't read the file: \(Self.reason)", at: offset)
            }
            done += count
        }
        return done
    }
}
