/// Gathers bit fields into bytes, the first bit in the most significant place.
public struct BitWriter: Sendable {
    /// The bytes so far; the last is filled up with zeros.
    public private(set) var bytes: [UInt8] = []
    private var free = 0

    /// Starts without bits.
    public init() {}

    /// Appends a field.
    ///
    /// - Parameters:
    ///   - value: Its value; higher bits are left out.
    ///   - count: Its width, 0 to 32 bits.
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
