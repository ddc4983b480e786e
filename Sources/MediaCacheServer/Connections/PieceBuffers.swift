import NIOCore
import Synchronization

/// The write buffer shared by the responses of one event loop.
///
/// If the kernel accepts a write immediately, the storage is free before the next piece is read. The same memory, still
/// in the processor's cache, is then used for every piece. If a write is still pending, `clear` finds the storage
/// shared and allocates a new one.
final class PieceBuffers {
    /// The maximum size of a buffer, in bytes.
    static let pieceSize = 256 << 10

    private var buffer = ByteBuffer()

    /// Returns `count` bytes written by `body`; nil if `body` returns false.
    func fill(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Bool) rethrows -> ByteBuffer? {
        buffer.clear(minimumCapacity: count)
        let written = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
            try body(UnsafeMutableRawBufferPointer(rebasing: memory[..<count])) ? count : 0
        }
        return written == count ? buffer : nil
    }
}

/// The ``PieceBuffers`` of each event loop.
final class PieceBuffersByLoop: Sendable {
    private let buffers = Mutex<[ObjectIdentifier: NIOLoopBound<PieceBuffers>]>([:])

    /// Returns the buffers of `loop`. Call it on that loop.
    func buffers(of loop: any EventLoop) -> PieceBuffers {
        loop.preconditionInEventLoop()
        let bound = buffers.withLock { buffers in
            let id = ObjectIdentifier(loop)
            if let existing = buffers[id] { return existing }
            let new = NIOLoopBound(PieceBuffers(), eventLoop: loop)
            buffers[id] = new
            return new
        }
        return bound.value
    }
}
