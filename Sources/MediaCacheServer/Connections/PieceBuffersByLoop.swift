import NIOCore
import Synchronization

/// The ``PieceBuffers`` of each event loop.
final class PieceBuffersByLoop: Sendable {
    private let buffers = Mutex<[ObjectIdentifier: NIOLoopBound<PieceBuffers>]>([:])

    /// The buffers of `loop`, which is the one that calls.
    func buffers(of loop: any EventLoop) -> PieceBuffers {
        loop.preconditionInEventLoop()
        let bound = buffers.withLock { buffers in
            let id = ObjectIdentifier(loop)
            if let known = buffers[id] { return known }
            let made = NIOLoopBound(PieceBuffers(), eventLoop: loop)
            buffers[id] = made
            return made
        }
        return bound.value
    }
}
