import MediaCache
import Synchronization

/// Received bytes in a block of memory that is used again after their release.
final class CurlBuffer: OriginBuffer, @unchecked Sendable {
    /// The number of bytes of a block.
    static let size = 1 << 20
    /// The maximum number of unused blocks.
    private static let maximumUnused = 8

    /// A block that no buffer uses.
    private struct Block: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    private static let unused = Mutex<[Block]>([])

    // `@unchecked Sendable`: written only by ``append(_:)``, before the buffer is given to its reader.
    private let memory: UnsafeMutableRawPointer
    private(set) var count = 0

    init() {
        memory =
            Self.unused.withLock { $0.popLast()?.memory }
            ?? UnsafeMutableRawPointer.allocate(byteCount: Self.size, alignment: 4096)
    }

    deinit {
        let block = Block(memory: memory)
        let isKept = Self.unused.withLock { unused in
            guard unused.count < Self.maximumUnused else { return false }
            unused.append(block)
            return true
        }
        if !isKept { memory.deallocate() }
    }

    /// Whether the block has no space left.
    var isFull: Bool { count == Self.size }

    /// Appends bytes as far as there is space. Returns their number.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let number = min(bytes.count, Self.size - count)
        if number > 0, let source = bytes.baseAddress {
            memory.advanced(by: count).copyMemory(from: source, byteCount: number)
        }
        count += number
        return number
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: memory, count: count))
    }
}
