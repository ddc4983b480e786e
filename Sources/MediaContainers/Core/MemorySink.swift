/// A sink in memory.
public struct MemorySink: ByteSink, Sendable {
    /// What was written.
    public private(set) var contents: [UInt8] = []

    /// Creates an empty sink.
    public init() {}

    /// Appends the bytes.
    public mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        bytes.withMemoryRebound(to: UInt8.self) { contents.append(contentsOf: $0) }
    }
}
