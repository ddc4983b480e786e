/// A buffer for the bytes of an elementary stream that haven't been split into frames yet.
struct PayloadBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private var head = 0
    private var tail = 0
    /// The position of the first byte in the elementary stream.
    private(set) var position: Int64 = 0

    init() { storage = .allocate(byteCount: 64 << 10, alignment: 16) }

    deinit { storage.deallocate() }

    var count: Int { tail - head }

    /// The position in the elementary stream after the last byte.
    var end: Int64 { position + Int64(count) }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[head..<tail]) }

    @inline(__always)
    mutating func append(_ source: UnsafeRawPointer, count: Int) {
        if tail + count > storage.count { reserveSpace(count) }
        guard let base = storage.baseAddress else { return }
        (base + tail).copyMemory(from: source, byteCount: count)
        tail += count
    }

    mutating func consume(_ count: Int) {
        head += min(count, self.count)
        position += Int64(count)
        if head == tail {
            head = 0
            tail = 0
        }
    }

    /// Moves a small remainder to the beginning, so that the buffer doesn't grow beyond the longest frame.
    mutating func compact() {
        guard head > 0, count <= 4096 || head >= count else { return }
        moveToFront()
    }

    private mutating func moveToFront() {
        guard head > 0, let base = storage.baseAddress else { return }
        base.copyMemory(from: base + head, byteCount: count)
        tail -= head
        head = 0
    }

    private mutating func reserveSpace(_ more: Int) {
        moveToFront()
        guard tail + more > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(storage.count * 2, tail + more), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<tail]))
        storage.deallocate()
        storage = larger
    }
}
