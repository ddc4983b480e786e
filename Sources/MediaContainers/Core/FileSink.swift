#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

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
