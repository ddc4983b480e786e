/// A buffer over a source that is read mostly forward: one read serves many samples.
public struct SourceWindow<Source: ByteSource>: ~Copyable {
    private let source: Source
    private var storage: UnsafeMutableRawBufferPointer
    private var begin: Int64 = 0
    private var count = 0

    /// Creates an empty window.
    ///
    /// - Parameters:
    ///   - source: The bytes.
    ///   - capacity: How much is read at once, in bytes.
    public init(_ source: Source, capacity: Int = 1 << 20) {
        self.source = source
        storage = .allocate(byteCount: max(1, capacity), alignment: 16)
    }

    deinit { storage.deallocate() }

    /// Lends bytes of the source for the length of a call.
    ///
    /// - Parameters:
    ///   - offset: The first byte.
    ///   - wanted: How many; checked against the source's length before anything is allocated.
    ///   - body: What borrows them.
    public mutating func withBytes<Value>(
        at offset: Int64, count wanted: Int, _ body: (UnsafeRawBufferPointer) throws(ContainerError) -> Value
    ) throws(ContainerError) -> Value {
        if offset < begin || offset.addingClamped(Int64(wanted)) > begin + Int64(count) {
            try fill(at: offset, wanted)
        }
        let start = wanted == 0 ? 0 : Int(offset - begin)
        return try body(UnsafeRawBufferPointer(rebasing: storage[start..<start + wanted]))
    }

    private mutating func fill(at offset: Int64, _ wanted: Int) throws(ContainerError) {
        guard offset >= 0, wanted >= 0, offset.addingClamped(Int64(wanted)) <= source.length else {
            throw ContainerError(
                .truncated, "\(wanted) bytes of a sample, the file ends at \(source.length)", at: offset)
        }
        if wanted > storage.count {
            storage.deallocate()
            storage = .allocate(byteCount: wanted, alignment: 16)
        }
        count = 0
        let read = try source.read(at: offset, into: storage)
        guard read >= wanted else {
            throw ContainerError(.truncated, "\(wanted) bytes of a sample, \(read) there", at: offset)
        }
        begin = offset
        count = read
    }
}
