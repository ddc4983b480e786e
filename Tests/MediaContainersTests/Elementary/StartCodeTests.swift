import TestSupport
import Testing

@testable import MediaContainers

struct StartCodeTests {
    /// Finds the first 00 00 01 by comparing each byte.
    private func first(in bytes: [UInt8], from start: Int, to limit: Int) -> Int? {
        guard start + 3 <= limit else { return nil }
        return (start...limit - 3).first { bytes[$0] == 0 && bytes[$0 + 1] == 0 && bytes[$0 + 2] == 1 }
    }

    @Test func matchesByteByByteSearch() {
        var random = SeededGenerator(seed: 20)
        for round in 0..<20_000 {
            // Few distinct values produce prefixes and near misses. Many values produce long runs without a prefix.
            let largest = [1, 2, 3, 16, 255][round % 5] as UInt8
            let count = Int.random(in: 0...150, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...largest, using: &random) }
            let start = Int.random(in: 0...count, using: &random)
            let limit = Int.random(in: start...count, using: &random)
            let found = bytes.withUnsafeBytes { StartCode.first(in: $0, from: start, to: limit) }
            #expect(found == first(in: bytes, from: start, to: limit), "\(bytes), \(start)..<\(limit)")
        }
    }

    @Test func findsPrefixAtEveryPositionInZeros() {
        for zeros in 2..<200 {
            let bytes = [7, 7] + [UInt8](repeating: 0, count: zeros) + [1, 9]
            #expect(bytes.withUnsafeBytes { StartCode.first(in: $0, from: 0, to: $0.count) } == zeros)
        }
    }
}
