#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A source of bytes in a file, read by position, so that several readers can share it.
public final class FileSource: ByteSource, Sendable {
    /// The file's length when it was opened, in bytes.
    public let length: Int64
    private let file: OpenFile

    /// Opens a file for reading.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` when it can't be opened.
    public init(path: String) throws(ContainerError) {
        // A pipe without a writer would be waited for; it isn't read anyhow.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw ContainerError(.inputOutput, "\(path) can't be opened: \(OpenFile.reason)")
        }
        let length = lseek(descriptor, 0, SEEK_END)
        guard length >= 0 else {
            close(descriptor)
            throw ContainerError(.inputOutput, "\(path) isn't a file that can be read at any place")
        }
        file = OpenFile(descriptor)
        self.length = Int64(length)
    }

    /// Reads from the file; see ``ByteSource/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try file.read(at: offset, into: buffer)
    }
}

/// A file that is written by position.
public final class FileSink: RandomAccessSink, Sendable {
    private let file: OpenFile

    /// Makes a file, or empties the one that is there.
    ///
    /// - Parameter path: The file's path.
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput`` when it can't be made.
    public init(path: String) throws(ContainerError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw ContainerError(.inputOutput, "\(path) can't be made: \(OpenFile.reason)")
        }
        file = OpenFile(descriptor)
    }

    /// Writes bytes at a place; see ``RandomAccessSink/write(_:at:)``.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = pwrite(file.descriptor, base + done, bytes.count - done, off_t(offset) + off_t(done))
            if count < 0 {
                if errno == EINTR { continue }
                throw ContainerError(.inputOutput, "the file can't be written: \(OpenFile.reason)", at: offset)
            }
            done += count
        }
    }

    /// Has the system begin to put bytes on its disk, so that less is left for ``synchronize()``. Nothing is waited for.
    ///
    /// - Parameter range: Bytes that were written, and won't be again.
    public func startWriting(_ range: Range<Int64>) {
        #if os(Linux)
            // What was just written isn't on the disk, and so it's written, and not dropped from memory.
            posix_fadvise(
                file.descriptor, off_t(range.lowerBound), off_t(range.upperBound - range.lowerBound),
                POSIX_FADV_DONTNEED)
        #endif
    }

    /// Waits until the system has what was written on its disk.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/inputOutput``.
    public func synchronize() throws(ContainerError) {
        guard fsync(file.descriptor) == 0 else {
            throw ContainerError(.inputOutput, "the file can't be written: \(OpenFile.reason)")
        }
    }

    /// Reads bytes back; see ``RandomAccessSink/read(at:into:)``.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        try file.read(at: offset, into: buffer)
    }
}

/// An open file that is read by position, closed when the last reference goes.
final class OpenFile: Sendable {
    let descriptor: Int32

    /// Takes an open descriptor over.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Why the last call of the system failed, in its words.
    static var reason: String { String(cString: strerror(errno)) }

    /// Fills `buffer` from `offset` on as far as the file reaches; returns how many bytes that was.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        var done = 0
        while done < buffer.count, let base = buffer.baseAddress {
            let count = pread(descriptor, base + done, buffer.count - done, off_t(offset) + off_t(done))
            if count == 0 { break }
            if count < 0 {
                if errno == EINTR { continue }
                throw ContainerError(.inputOutput, "the file can't be read: \(Self.reason)", at: offset)
            }
            done += count
        }
        return done
    }
}
