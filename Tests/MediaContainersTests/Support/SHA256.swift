/// SHA-256 (FIPS 180-4), for comparing files with the hashes of the oracles.
enum SHA256 {
    static func hex(_ bytes: [UInt8]) -> String {
        var message = bytes
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        withUnsafeBytes(of: (UInt64(bytes.count) * 8).bigEndian) { message.append(contentsOf: $0) }
        var state = initial
        message.withUnsafeBytes { buffer in
            var words = [UInt32](repeating: 0, count: 64)
            for block in stride(from: 0, to: buffer.count, by: 64) { compress(buffer, block, &words, &state) }
        }
        return state.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    private static func compress(
        _ buffer: UnsafeRawBufferPointer, _ block: Int, _ words: inout [UInt32], _ state: inout [UInt32]
    ) {
        for index in 0..<16 {
            words[index] = UInt32(
                bigEndian: buffer.loadUnaligned(fromByteOffset: block + index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let early = words[index - 15]
            let late = words[index - 2]
            let first = rotate(early, 7) ^ rotate(early, 18) ^ (early >> 3)
            let second = rotate(late, 17) ^ rotate(late, 19) ^ (late >> 10)
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
        var s = state
        for index in 0..<64 {
            let sum = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let first = s[7] &+ sum &+ choice &+ constants[index] &+ words[index]
            let other = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            s = [first &+ other &+ majority, s[0], s[1], s[2], s[3] &+ first, s[4], s[5], s[6]]
        }
        for index in 0..<8 { state[index] &+= s[index] }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let primes: [Int] = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }

    private static func fraction(_ root: Double) -> UInt32 {
        UInt32((root - root.rounded(.down)) * 4_294_967_296)
    }

    private static let initial: [UInt32] = primes.prefix(8).map { fraction(Double($0).squareRoot()) }

    private static let constants: [UInt32] = primes.prefix(64).map { prime in
        var root = 1.0
        for _ in 0..<60 { root -= (root * root * root - Double(prime)) / (3 * root * root) }
        return fraction(root)
    }
}
