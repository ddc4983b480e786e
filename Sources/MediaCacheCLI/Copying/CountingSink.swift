import MediaContainers

/// Passes bytes on, and tells how many there were.
struct CountingSink<Sink: ByteSink>: ByteSink {
    private var sink: Sink
    private var count: Int64 = 0
    private let onWrite: (Int64) -> Void

    /// - Parameter onWrite: gets all the bytes so far, after each write.
    init(_ sink: Sink, onWrite: @escaping (Int64) -> Void) {
        self.sink = sink
        self.onWrite = onWrite
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        try sink.write(bytes)
        count += Int64(bytes.count)
        onWrite(count)
    }
}
