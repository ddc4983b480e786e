import MediaCache
import NIOCore

/// Bytes in the buffer in which they were received.
struct NIOOriginBuffer: OriginBuffer {
    let buffer: ByteBuffer

    var count: Int { buffer.readableBytes }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try buffer.withUnsafeReadableBytes(body)
    }
}
