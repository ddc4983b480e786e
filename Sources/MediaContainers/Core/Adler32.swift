/// The Adler-32 checksum of RFC 1950, 8.2 (as `ffmpeg -f framecrc` prints it, but starting at 1).
public struct Adler32: Sendable {
    private var low: UInt32
    private var high: UInt32

    /// Starts a checksum over no bytes.
    ///
    /// - Parameter start: The state to go on from: 1 by the RFC, 0 for `framecrc`.
    public init(start: UInt32 = 1) {
        low = start & 0xFFFF
        high = start >> 16
    }

    /// The checksum of all bytes so far.
    public var value: UInt32 { high << 16 | low }

    /// Adds bytes.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while index < bytes.count {
            // 5552 is the largest count whose sums can't overflow 32 bits before the modulus.
            let end = min(bytes.count, index + 5552)
            while index < end {
                low &+= UInt32(bytes[index])
                high &+= low
                index += 1
            }
            low %= 65521
            high %= 65521
        }
    }
}
