import TestSupport

/// A generator of damaged bytes that mimics accidental damage and attacks.
struct Mutator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let interesting: [UInt32] = [
        0, 1, 2, 7, 8, 9, 15, 16, 17, 0x7F, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x00FF_FFFF, 0x0100_0000,
        0x7FFF_FFF0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FF00, 0xFFFF_FFFE, 0xFFFF_FFFF,
    ]

    /// Returns a damaged copy. If there are time fields, half of the copies have damage only in these, so that
    /// everything else can be read. Other copies have most damage in `places`, which contain structure.
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
            // Small changes produce almost correct sizes and counts.
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

/// A container field with a time, a duration or a timescale.
struct TimeField {
    enum Coding {
        /// A big-endian integer of the given number of bytes.
        case number(Int)
        /// A 33-bit timestamp in five bytes with marker bits (ISO/IEC 13818-1, 2.4.3.6).
        case timestamp
        /// The 33-bit base of a program clock reference (ISO/IEC 13818-1, 2.4.3.4).
        case clock
    }

    var place: Int
    var coding: Coding

    /// Values at the limits of field widths and time bounds, which random damage rarely produces.
    static let extremes: [UInt64] = [
        0, 1, 2, 3, 600, 8001, 90_000, 1 << 15, 1 << 30, 1 << 31 - 1, 1 << 31, 1 << 32 - 1000, 1 << 32 - 1, 1 << 32,
        1 << 33 - 5_400_001, 1 << 33 - 1, 1 << 33, 1 << 47, 1 << 48, 1 << 49, 1 << 50, 1 << 55, 1 << 56 - 1, 1 << 56,
        1 << 58, 1 << 59 - 1, 1 << 59, 1 << 60 - 1, 1 << 60, 1 << 62, 1 << 63 - 1, 1 << 63, .max - 1000, .max - 1, .max,
    ]

    /// Writes as many low bits of a value as the field can store. Does nothing if the field ends beyond the bytes.
    func write(_ value: UInt64, to bytes: inout [UInt8]) {
        switch coding {
        case .number(let width):
            guard place + width <= bytes.count else { return }
            for index in 0..<width {
                bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (width - 1 - index)))
            }
        case .timestamp:
            guard place + 5 <= bytes.count else { return }
            bytes[place] = bytes[place] & 0xF0 | UInt8(truncatingIfNeeded: value >> 29) & 0x0E | 1
            bytes[place + 1] = UInt8(truncatingIfNeeded: value >> 22)
            bytes[place + 2] = UInt8(truncatingIfNeeded: value >> 14) | 1
            bytes[place + 3] = UInt8(truncatingIfNeeded: value >> 7)
            bytes[place + 4] = UInt8(truncatingIfNeeded: value << 1) | 1
        case .clock:
            guard place + 5 <= bytes.count else { return }
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt64(25 - 8 * index)) }
            bytes[place + 4] = UInt8(truncatingIfNeeded: value & 1) << 7 | bytes[place + 4] & 0x7F
        }
    }

    // MARK: - Fields of containers

    /// Returns the time fields in the boxes of an MP4 file (ISO/IEC 14496-12, 8).
    static func ofMovie(_ bytes: [UInt8]) -> [TimeField] {
        guard bytes.count > 8 else { return [] }
        var fields: [TimeField] = []
        for place in 0..<bytes.count - 8 {
            guard let layout = layouts[Array(bytes[place..<place + 4])] else { continue }
            for (offset, width) in bytes[place + 4] == 0 ? layout.short : layout.long {
                fields.append(TimeField(place: place + 4 + offset, coding: .number(width)))
            }
        }
        return fields
    }

    /// Returns the timestamps and clock references in the first 400 packets of a stream of 188-byte packets.
    static func ofStream(_ bytes: [UInt8]) -> [TimeField] {
        var fields: [TimeField] = []
        for packet in stride(from: 0, to: min(bytes.count - 187, 400 * 188), by: 188) where bytes[packet] == 0x47 {
            let hasAdaptation = bytes[packet + 3] & 0x20 != 0
            let length = hasAdaptation ? Int(bytes[packet + 4]) : 0
            if length > 6, bytes[packet + 5] & 0x10 != 0 {
                fields.append(TimeField(place: packet + 6, coding: .clock))
            }
            let payload = packet + 4 + (hasAdaptation ? 1 + length : 0)
            guard bytes[packet + 1] & 0x40 != 0, payload + 19 <= packet + 188,
                bytes[payload..<payload + 3] == [0, 0, 1]
            else { continue }
            if bytes[payload + 7] & 0x80 != 0 { fields.append(TimeField(place: payload + 9, coding: .timestamp)) }
            if bytes[payload + 7] & 0xC0 == 0xC0 { fields.append(TimeField(place: payload + 14, coding: .timestamp)) }
        }
        return fields
    }

    /// Returns the timestamp of a packed audio segment (RFC 8216, 3.4), or no field if it has none.
    static func ofPackedAudio(_ bytes: [UInt8]) -> [TimeField] {
        let owner = Array("transportStreamTimestamp".utf8)
        guard let start = bytes.firstRange(of: owner)?.upperBound else { return [] }
        return [TimeField(place: start + 1, coding: .number(8))]
    }

    private typealias Layout = (short: [(Int, Int)], long: [(Int, Int)])

    /// The offset and width of the fields of each box type, in version 0 and in other versions.
    private static let layouts: [[UInt8]: Layout] = {
        let header: Layout = ([(12, 4), (16, 4)], [(20, 4), (24, 8)])
        let runs = (0..<4).flatMap { [(8 + 8 * $0, 4), (12 + 8 * $0, 4)] }
        let words = (1..<14).map { (4 * $0, 4) }
        let references = (0..<3).flatMap { [(12 * $0, 4), (12 * $0 + 4, 4)] }
        let layouts: [String: Layout] = [
            "mvhd": header, "mdhd": header, "mehd": ([(4, 4)], [(4, 8)]), "tfdt": ([(4, 4)], [(4, 8)]),
            "elst": (
                (0..<4).flatMap { [(8 + 12 * $0, 4), (12 + 12 * $0, 4)] },
                (0..<4).flatMap { [(8 + 20 * $0, 8), (16 + 20 * $0, 8)] }
            ),
            "stts": (runs, runs), "ctts": (runs, runs), "trun": (words, words),
            "trex": ([(12, 4), (16, 4)], [(12, 4), (16, 4)]), "tfhd": ([(8, 4), (12, 4)], [(8, 4), (12, 4)]),
            "sidx": (
                [(8, 4), (12, 4), (16, 4)] + references.map { ($0.0 + 24, $0.1) },
                [(8, 4), (12, 8), (20, 8)] + references.map { ($0.0 + 32, $0.1) }
            ),
        ]
        return Dictionary(uniqueKeysWithValues: layouts.map { (Array($0.key.utf8), $0.value) })
    }()
}
