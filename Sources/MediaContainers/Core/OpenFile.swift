#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

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
