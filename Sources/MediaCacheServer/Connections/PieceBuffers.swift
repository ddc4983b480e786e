import NIOCore

/// The buffer through which one event loop's responses leave.
///
/// A write that the kernel takes at once gives its storage back before the next piece is read, so that the same
/// memory, still in the processor's cache, serves piece after piece. Where the kernel keeps a piece waiting, `clear`
/// sees that the storage is shared and takes a new one.
final class PieceBuffers {
    /// Bytes read and written at a time.
    static let pieceSize = 256 << 10

    private var buffer = ByteBuffer()

    /// `count` bytes that `body` writes; nil if it says that it can't now.
    func fill(_ count: Int, _ body: (UnsafeMutableRawBufferPointer) throws -> Bool) rethrows -> ByteBuffer? {
        buffer.clear(minimumCapacity: count)
        let written = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { memory in
            try body(UnsafeMutableRawBufferPointer(rebasing: memory[..<count])) ? count : 0
        }
        return written == count ? buffer : nil
    }
}
