import TestSupport

/// Damages bytes the way files get damaged, and the way attackers would.
struct Mutator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let interesting: [UInt32] = [
        0, 1, 2, 7, 8, 9, 15, 16, 17, 0x7F, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x00FF_FFFF, 0x0100_0000,
        0x7FFF_FFF0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FF00, 0xFFFF_FFFE, 0xFFFF_FFFF,
    ]

    /// A damaged copy.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - places: Where its structure lies; most damage is done there.
    ///   - fields: Its times; in half of the copies only these are damaged, so that all else is read.
    mutating func mutate(_ bytes: [UInt8], at places: [Range<Int>], fields: [TimeField] = []) -> [UInt8] {
        var result = bytes
        if !fields.isEmpty, Bool.random(using: &random) {
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let value = TimeField.extremes.randomElement(using: &random) ?? 0
                fields.randomElement(using: &random)?.write(value, to: &result)
            }
            return result
        }
        for _ in 0..<Int.random(in: 1...6, using: &random) where !result.isEmpty { damage(&result, places) }
        return result
    }

    private mutating func place(_ bytes: [UInt8], _ places: [Range<Int>]) -> Int {
        if let range = places.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 0 {
            return min(Int.random(in: range, using: &random), bytes.count - 1)
        }
        return Int.random(in: 0..<bytes.count, using: &random)
    }

    private mutating func damage(_ bytes: inout [UInt8], _ places: [Range<Int>]) {
        let at = place(bytes, places)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 2...4:
            let value = Self.interesting.randomElement(using: &random) ?? 0
            let aligned = at & ~3
            for index in 0..<4 where aligned + index < bytes.count {
                bytes[aligned + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index))
            }
        case 5:
            // A little more or less than there was: sizes and counts that are almost right.
            let delta = UInt8.random(in: 0...8, using: &random)
            bytes[at] = Bool.random(using: &random) ? bytes[at] &+ delta : bytes[at] &- delta
        case 6: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...64, using: &random)))
        case 7:
            let end = min(bytes.count, at + Int.random(in: 1...64, using: &random))
            bytes.insert(contentsOf: Array(bytes[at..<end]), at: place(bytes, places))
        case 8: bytes.removeLast(Int.random(in: 0...min(bytes.count - 1, 2000), using: &random))
        default:
            let other = place(bytes, places)
            for index in 0..<4 where at + index < bytes.count && other + index < bytes.count {
                bytes.swapAt(at + index, other + index)
            }
        }
    }
}
