import MediaCache
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Received bytes in a block of memory that is reused after the buffer is released.
final class CurlBuffer: OriginBuffer, @unchecked Sendable {
    /// The size of a page of memory, or a divisor of it.
    static let pageSize = 4096
    /// The maximum number of bytes in unused blocks.
    private static let maximumUnused = 8 << 20

    /// A block that no buffer uses.
    private struct Block: @unchecked Sendable {
        let memory: UnsafeMutableRawPointer
    }

    private struct Unused {
        /// The blocks by their size.
        var blocks: [Int: [Block]] = [:]
        var bytes = 0
    }

    private static let unused = Mutex(Unused())

    // `@unchecked Sendable`: written only by ``append(_:)``, before the buffer is given to its reader.
    private let memory: UnsafeMutableRawPointer
    private let capacity: Int
    /// The offset of the first byte in the block.
    private let start: Int
    private(set) var count = 0

    /// Creates an empty buffer.
    ///
    /// - Parameters:
    ///   - capacity: The size of the block in bytes.
    ///   - pageOffset: The offset of the first byte from a page boundary in the file that will store the bytes. The
    ///     block has the same offset, so that the system copies whole pages, which is faster.
    init(capacity: Int, pageOffset: Int) {
        self.capacity = capacity
        start = pageOffset
        let block = Self.unused.withLock { unused -> Block? in
            guard let block = unused.blocks[capacity]?.popLast() else { return nil }
            unused.bytes -= capacity
            return block
        }
        memory = block?.memory ?? Self.map(capacity)
    }

    deinit {
        let (block, capacity) = (Block(memory: memory), capacity)
        let isUnused = Self.unused.withLock { unused in
            guard unused.bytes + capacity <= Self.maximumUnused else { return false }
            unused.blocks[capacity, default: []].append(block)
            unused.bytes += capacity
            return true
        }
        if !isUnused { munmap(memory, capacity) }
    }

    /// Returns newly mapped memory, because blocks of several sizes would fragment the heap.
    private static func map(_ capacity: Int) -> UnsafeMutableRawPointer {
        let memory = mmap(nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        // As with other allocations in Swift, there is no recovery.
        guard let memory, memory != MAP_FAILED else { fatalError("no memory for \(capacity) received bytes") }
        return memory
    }

    /// Whether the block has no space left.
    var isFull: Bool { start + count == capacity }

    /// Appends as many bytes as fit. Returns their number.
    func append(_ bytes: UnsafeRawBufferPointer) -> Int {
        let number = min(bytes.count, capacity - start - count)
        if number > 0, let source = bytes.baseAddress {
            memory.advanced(by: start + count).copyMemory(from: source, byteCount: number)
        }
        count += number
        return number
    }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: memory + start, count: count))
    }
}
