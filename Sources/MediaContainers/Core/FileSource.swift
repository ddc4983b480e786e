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
