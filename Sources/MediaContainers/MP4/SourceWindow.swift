/// A read buffer for mostly sequential access to a source. One read serves many samples.
public struct SourceWindow<Source: ByteSource>: ~Copyable {
    private let source: Source
    private var storage: UnsafeMutableRawBufferPointer
    private var begin: Int64 = 0
    private var count = 0

    /// Creates an empty window that reads `capacity` bytes at a time.
    public init(_ source: Source, capacity: Int = 1 << 20) {
        self.source = source
        storage = .allocate(byteCount: max(1, capacity), alignment: 16)
    }

    deinit { storage.deallocate() }

    /// Calls a closure with borrowed bytes of the source. Their number is checked against the length of the source
    /// before memory is allocated. Throws `truncated` when the source ends early, and the errors of source and closure.
    public mutating func withBytes<Value>(
        at offset: Int64, count requested: Int, _ body: (UnsafeRawBufferPointer) throws(ContainerError) -> Value
    ) throws(ContainerError) -> Value {
        if offset < begin || offset.addingClamped(Int64(requested)) > begin + Int64(count) {
            try fill(at: offset, requested)
        }
        let start = requested == 0 ? 0 : Int(offset - begin)
        return try body(UnsafeRawBufferPointer(rebasing: storage[start..<start + requested]))
    }

    private mutating func fill(at offset: Int64, _ requested: Int) throws(ContainerError) {
        guard offset >= 0, requested >= 0, offset.addingClamped(Int64(requested)) <= source.length else {
            throw ContainerError(
                .truncated, "sample of \(requested) bytes extends past the end of the file at \(source.length)",
                at: offset)
        }
        if requested > storage.count {
            storage.deallocate()
            storage = .allocate(byteCount: requested, alignment: 16)
        }
        count = 0
        let read = try source.read(at: offset, into: storage)
        guard read >= requested else {
            throw ContainerError(.truncated, "sample of \(requested) bytes, but only \(read) could be read", at: offset)
        }
        begin = offset
        count = read
    }
}
