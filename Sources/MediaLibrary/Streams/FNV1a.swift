/// The hash FNV-1a with 64 bits: the same for the same bytes in every process, and computed piece by piece.
package enum FNV1a {
    /// The hash of no bytes.
    package static let initial: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The hash of what `state` is the hash of, and `bytes` after it.
    package static func extend(_ state: UInt64, with bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = state
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return state
    }

    /// The same with the UTF-8 of a text.
    static func extend(_ state: UInt64, with text: some StringProtocol) -> UInt64 {
        var text = String(text)
        return text.withUTF8 { extend(state, with: UnsafeRawBufferPointer($0)) }
    }
}
