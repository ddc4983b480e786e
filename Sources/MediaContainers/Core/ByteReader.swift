/// A bounds-checked reader of big-endian fields over borrowed bytes.
///
/// The bytes must outlive the reader, so create it inside `withUnsafeBytes` and don't let it escape. Every read throws
/// ``ContainerError/Code-swift.enum/truncated`` with the offset in the file when too few bytes are left.
public struct ByteReader {
    /// The borrowed bytes.
    public let bytes: UnsafeRawBufferPointer
    /// The offset of ``bytes`` in the file or stream, for errors.
    public let origin: Int64
    /// The index in ``bytes`` of the next byte to read. At the end, it equals their count.
    public private(set) var position = 0

    /// Creates a reader over bytes that must outlive it.
    @inlinable
    public init(_ bytes: UnsafeRawBufferPointer, origin: Int64 = 0) {
        self.bytes = bytes
        self.origin = origin
    }

    /// The number of bytes left.
    public var remaining: Int { bytes.count - position }

    /// Whether no bytes are left.
    public var isAtEnd: Bool { position == bytes.count }

    /// The offset of the next byte in the file or stream.
    public var offset: Int64 { origin + Int64(position) }

    /// Reads one byte.
    public mutating func uint8() throws(ContainerError) -> UInt8 { try integer(UInt8.self) }

    /// Reads 16 bits, big-endian.
    public mutating func uint16() throws(ContainerError) -> UInt16 { try integer(UInt16.self) }

    /// Reads 24 bits, big-endian.
    public mutating func uint24() throws(ContainerError) -> UInt32 {
        try need(3)
        let high = UInt32(bytes[position]) << 16
        let low = UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2])
        position += 3
        return high | low
    }

    /// Reads 32 bits, big-endian.
    public mutating func uint32() throws(ContainerError) -> UInt32 { try integer(UInt32.self) }

    /// Reads 64 bits, big-endian.
    public mutating func uint64() throws(ContainerError) -> UInt64 { try integer(UInt64.self) }

    /// Reads 32 bits as a two's complement number.
    public mutating func int32() throws(ContainerError) -> Int32 { Int32(bitPattern: try uint32()) }

    /// Reads 64 bits as a two's complement number.
    public mutating func int64() throws(ContainerError) -> Int64 { Int64(bitPattern: try uint64()) }

    /// Reads a four-character code.
    public mutating func fourCC() throws(ContainerError) -> FourCC { FourCC(rawValue: try uint32()) }

    /// Reads a big-endian integer of any fixed width.
    @inline(__always)
    public mutating func integer<Value: FixedWidthInteger>(_: Value.Type) throws(ContainerError) -> Value {
        let width = MemoryLayout<Value>.size
        try need(width)
        let value = bytes.loadUnaligned(fromByteOffset: position, as: Value.self)
        position += width
        return Value(bigEndian: value)
    }

    /// Borrows the next bytes and advances past them. Throws for a negative count.
    public mutating func take(_ count: Int) throws(ContainerError) -> UnsafeRawBufferPointer {
        try need(count)
        let slice = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        return slice
    }

    /// Borrows the remaining bytes and advances to the end.
    public mutating func takeRest() -> UnsafeRawBufferPointer {
        let slice = UnsafeRawBufferPointer(rebasing: bytes[position...])
        position = bytes.count
        return slice
    }

    /// Returns a reader over the next bytes and advances past them. Offsets stay relative to the file.
    public mutating func sub(_ count: Int) throws(ContainerError) -> ByteReader {
        let begin = offset
        return ByteReader(try take(count), origin: begin)
    }

    /// Skips bytes.
    public mutating func skip(_ count: Int) throws(ContainerError) {
        try need(count)
        position += count
    }

    /// Moves to an index in ``bytes``. Throws if it's out of bounds.
    public mutating func seek(to target: Int) throws(ContainerError) {
        guard target >= 0, target <= bytes.count else {
            throw ContainerError(.truncated, "position \(target) is outside of \(bytes.count) bytes", at: origin)
        }
        position = target
    }

    @inline(__always)
    private func need(_ count: Int) throws(ContainerError) {
        guard count >= 0, count <= bytes.count - position else { throw shortage(count) }
    }

    @inline(never)
    private func shortage(_ count: Int) -> ContainerError {
        ContainerError(.truncated, "\(count) bytes needed, \(bytes.count - position) left", at: offset)
    }
}

extension [UInt8] {
    /// Calls a closure with a reader over the array's bytes at an offset in the file. The reader must not escape.
    func withReader<Value>(
        at origin: Int64 = 0, _ body: (inout ByteReader) throws(ContainerError) -> Value
    ) throws(ContainerError) -> Value {
        try withBorrowedBytes { (buffer) throws(ContainerError) in
            var reader = ByteReader(buffer, origin: origin)
            return try body(&reader)
        }
    }

    /// Calls a closure with the array's bytes. Unlike `withUnsafeBytes`, it preserves the type of the error.
    func withBorrowedBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(ContainerError) -> Value
    ) throws(ContainerError) -> Value {
        let result = withUnsafeBytes { buffer in
            Result { () throws(ContainerError) in try body(buffer) }
        }
        return try result.get()
    }

    init(copying bytes: UnsafeRawBufferPointer) { self = bytes.withMemoryRebound(to: UInt8.self) { Array($0) } }
}
