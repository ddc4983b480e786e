/// The bytes of an elementary stream that aren't yet split into frames: the one copy that is made of them.
struct PayloadBuffer: ~Copyable {
    private var storage: UnsafeMutableRawBufferPointer
    private var head = 0
    private var tail = 0
    /// Where the first byte lies in the elementary stream.
    private(set) var position: Int64 = 0

    init() { storage = .allocate(byteCount: 64 << 10, alignment: 16) }

    deinit { storage.deallocate() }

    var count: Int { tail - head }

    /// Where the next byte will lie in the elementary stream.
    var end: Int64 { position + Int64(count) }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[head..<tail]) }

    @inline(__always)
    mutating func append(_ source: UnsafeRawPointer, count: Int) {
        if tail + count > storage.count { makeRoom(count) }
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

    /// Moves what is left to the front where that is little, so that the buffer stays as long as its longest frame.
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

    private mutating func makeRoom(_ more: Int) {
        moveToFront()
        guard tail + more > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(storage.count * 2, tail + more), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<tail]))
        storage.deallocate()
        storage = larger
    }
}
