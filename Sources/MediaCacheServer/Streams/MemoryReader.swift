import MediaCache
import Synchronization

/// A reader over bytes in memory: a playlist as it is sent.
final class MemoryReader: ByteReader {
    let head: ResourceHead
    let range: Range<Int64>
    let acceptsRanges: Bool
    private let source: MemorySource
    private let position: Mutex<Int64>

    init(_ bytes: [UInt8], head: ResourceHead, range: Range<Int64>, acceptsRanges: Bool) {
        self.head = head
        self.range = range
        self.acceptsRanges = acceptsRanges
        source = MemorySource(bytes: bytes)
        position = Mutex(range.lowerBound)
    }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        let offset = position.withLock { $0 }
        let count = min(Int64(maximum), range.upperBound - offset)
        return count > 0 ? .bytes(source, offset: offset, count: Int(count)) : .end
    }

    func consume(_ count: Int) { position.withLock { $0 += Int64(count) } }

    func readFailed(count: Int, error: any Error) {}

    func cancel() {}
}

private struct MemorySource: ByteSource {
    let bytes: [UInt8]

    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        try read(into: buffer, at: offset)
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        bytes.withUnsafeBytes { buffer.copyMemory(from: .init(rebasing: $0[Int(offset)..<Int(offset) + buffer.count])) }
    }
}
