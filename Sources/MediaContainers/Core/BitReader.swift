/// A reader of bit fields and Exp-Golomb codes over borrowed bytes (ISO/IEC 14496-10, 7.2 and 9.1).
///
/// With emulation prevention, the reader skips the byte 3 of each 00 00 03, as in the payload of a NAL unit (14496-10,
/// 7.4.1). The bytes must outlive the reader. Every read throws ``ContainerError/Code-swift.enum/truncated`` at the end
/// of the bytes.
public struct BitReader {
    private let bytes: UnsafeRawBufferPointer
    private let preventsEmulation: Bool
    private let origin: Int64
    private var next = 0
    private var zeros = 0
    private var cache: UInt64 = 0
    private var cached = 0

    /// Creates a reader. `origin` is the offset of the bytes in the file or stream, for errors.
    public init(_ bytes: UnsafeRawBufferPointer, emulationPrevention: Bool = false, origin: Int64 = 0) {
        self.bytes = bytes
        self.preventsEmulation = emulationPrevention
        self.origin = origin
    }

    /// Reads a field of 0 to 32 bits.
    public mutating func bits(_ count: Int) throws(ContainerError) -> UInt32 {
        guard (0...32).contains(count) else {
            throw ContainerError(.malformed, "bit field of \(count) bits exceeds 32 bits", at: offset)
        }
        while cached < count { try fill() }
        cached -= count
        return UInt32(truncatingIfNeeded: cache >> UInt64(cached) & ((1 << UInt64(count)) - 1))
    }

    /// Reads one bit.
    public mutating func flag() throws(ContainerError) -> Bool { try bits(1) != 0 }

    /// Skips bits.
    public mutating func skip(_ count: Int) throws(ContainerError) {
        var left = count
        while left > 0 {
            let step = min(left, 32)
            _ = try bits(step)
            left -= step
        }
    }

    /// Moves to the next byte boundary of the payload.
    public mutating func align() throws(ContainerError) { try skip(cached % 8) }

    /// Reads an unsigned Exp-Golomb code, `ue(v)`.
    public mutating func unsignedExpGolomb() throws(ContainerError) -> UInt32 {
        var zeros = 0
        while try !flag() {
            zeros += 1
            guard zeros < 32 else { throw ContainerError(.malformed, "Exp-Golomb code over 32 bits", at: offset) }
        }
        guard zeros > 0 else { return 0 }
        let suffix = UInt64(try bits(zeros))
        return UInt32(truncatingIfNeeded: (1 << UInt64(zeros)) - 1 + suffix)
    }

    /// Reads a signed Exp-Golomb code, `se(v)`.
    public mutating func signedExpGolomb() throws(ContainerError) -> Int32 {
        let code = Int64(try unsignedExpGolomb())
        return Int32(truncatingIfNeeded: code % 2 == 0 ? -(code / 2) : (code + 1) / 2)
    }

    /// An upper bound on the number of bits left, since it includes emulation prevention bytes.
    public var remaining: Int { (bytes.count - next) * 8 + cached }

    /// The approximate offset of the next bit in the file or stream, in bytes.
    public var offset: Int64 { origin + Int64(next - cached / 8) }

    private mutating func fill() throws(ContainerError) {
        guard next < bytes.count else {
            throw ContainerError(.truncated, "bit field past the end of the data", at: offset)
        }
        var byte = bytes[next]
        next += 1
        if preventsEmulation {
            if zeros >= 2, byte == 3 {
                zeros = 0
                guard next < bytes.count else {
                    throw ContainerError(.truncated, "bit field past the end of the data", at: offset)
                }
                byte = bytes[next]
                next += 1
            }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        cache = cache << 8 | UInt64(byte)
        cached += 8
    }
}

extension BitReader {
    /// Reads an unsigned Exp-Golomb code and checks it against a limit of the standard.
    mutating func unsigned(_ name: StaticString, _ limit: Int) throws(ContainerError) -> Int {
        let value = Int(try unsignedExpGolomb())
        guard value <= limit else {
            throw ContainerError(.malformed, "\(name) is \(value), which exceeds \(limit)", at: offset)
        }
        return value
    }

    /// Reads a number coded as the sum of any bytes of 255 and the byte after them (14496-10, 7.3.2.3.1).
    mutating func sumOfBytes() throws(ContainerError) -> Int {
        var sum = 0
        while true {
            let byte = Int(try bits(8))
            sum += byte
            if byte != 255 { return sum }
        }
    }
}

/// A writer that packs bit fields into bytes, most significant bit first.
public struct BitWriter: Sendable {
    /// The bytes so far; the last is padded with zero bits.
    public private(set) var bytes: [UInt8] = []
    private var free = 0

    /// Creates an empty writer.
    public init() {}

    /// Appends the low `count` bits of a value, 0 to 32.
    public mutating func write(_ value: UInt32, count: Int) {
        for place in stride(from: count - 1, through: 0, by: -1) {
            if free == 0 {
                bytes.append(0)
                free = 8
            }
            free -= 1
            if value >> UInt32(place) & 1 != 0 { bytes[bytes.count - 1] |= 1 << UInt8(free) }
        }
    }
}
