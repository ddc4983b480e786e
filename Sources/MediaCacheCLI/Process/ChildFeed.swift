import Foundation
import MediaLibrary

/// The standard input of a child process.
///
/// It's a socket pair, since writing to a pipe that the child has closed would raise SIGPIPE.
final class ChildFeed {
    private static let pieceLength = 256 << 10

    /// The descriptor for the child.
    private(set) var reading: Int32
    private var writing: Int32

    init() throws {
        var pair: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw CommandFailure(
                .failed, "can't create a socket pair for a program's input: \(String(cString: strerror(errno)))")
        }
        (reading, writing) = (pair[0], pair[1])
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(writing, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close() }

    /// Writes the bytes of a source until its end, or until the child closes its input.
    func write(_ source: MediaByteReader) throws {
        // Writing fails after the child exits only if no other descriptor of its end is open.
        closeReading()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < source.length {
            let count = try source.read(at: offset, into: buffer)
            guard count > 0, send(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
            offset += Int64(count)
        }
    }

    func close() {
        closeReading()
        if writing >= 0 { closeDescriptor(writing) }
        writing = -1
    }

    private func closeReading() {
        if reading >= 0 { closeDescriptor(reading) }
        reading = -1
    }

    /// Returns whether all bytes were written.
    private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes
        while !rest.isEmpty {
            let count = systemSend(writing, rest, flags)
            if count > 0 {
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

// Outside the type, whose methods hide the system's functions of the same names.
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }

private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(socket, bytes.baseAddress, bytes.count, flags)
}
