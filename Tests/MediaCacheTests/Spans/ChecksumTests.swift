import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCache

struct ChecksumTests {
    /// The vectors of RFC 3720 §B.4, the check value of the CRC (for the digits 1 to 9), and an empty input.
    @Test(
        arguments: [
            (Array("123456789".utf8), 0xE306_9283), ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43), (Array(UInt8(0)...31), 0x46DD_794E),
            (Array((UInt8(0)...31).reversed()), 0x113F_DB5C), ([], 0),
        ] as [([UInt8], UInt32)])
    func matchesKnownVectors(_ bytes: [UInt8], _ crc: UInt32) {
        #expect(bytes.withUnsafeBytes { CRC32C.extend(with: $0) } == crc)
    }

    @Test func combinesChecksumsOfConsecutiveRuns() {
        print("seed 5")
        var random = SeededGenerator(seed: 5)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0..<500, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let whole = bytes.withUnsafeBytes { CRC32C.extend(with: $0) }
            let first = Array(bytes[..<cut]).withUnsafeBytes { CRC32C.extend(with: $0) }
            let rest = Array(bytes[cut...])
            #expect(rest.withUnsafeBytes { CRC32C.extend(first, with: $0) } == whole)
            let second = rest.withUnsafeBytes { CRC32C.extend(with: $0) }
            #expect(CRC32C.combine(first, second, secondCount: rest.count) == whole)
        }
    }

    @Test func joinsRecordsWithinBlocksInAnyOrder() {
        print("seed 6")
        var random = SeededGenerator(seed: 6)
        let body = ScriptedBody.random(seed: 6, length: 300_000)
        var cuts = (0..<40).map { _ in Int64.random(in: 0...300_000, using: &random) } + [0, 300_000]
        cuts.sort()
        var checksums = BlockChecksums()
        for (start, end) in zip(cuts, cuts.dropFirst()).shuffled(using: &random) where start < end {
            let bytes = body.bytes(in: start..<end)
            for record in bytes.withUnsafeBytes({ BlockChecksums.records(of: $0, at: start) }) {
                checksums.insert(record)
            }
        }
        var restored = BlockChecksums(encodedPages: checksums.takeDirtyPages())
        let records = restored.records(in: 0..<300_000)
        #expect(
            records.map(\.range) == [
                0..<65_536, 65_536..<131_072, 131_072..<196_608, 196_608..<262_144, 262_144..<300_000,
            ])
        for record in records {
            #expect(body.bytes(in: record.range).withUnsafeBytes { CRC32C.extend(with: $0) } == record.crc)
        }
        #expect(restored.remove(70_000..<70_001) == [65_536..<131_072])
        #expect(restored.records(in: 65_536..<131_072).isEmpty)
    }

    @Test func decodesDamagedPagesWithoutCrash() {
        print("seed 9")
        var random = SeededGenerator(seed: 9)
        var checksums = BlockChecksums()
        for block in 0..<5 as Range<Int64> {
            checksums.insert(.init(range: block * 65_536..<block * 65_536 + 1000, crc: 1))
            checksums.insert(.init(range: block * 65_536 + 2000..<block * 65_536 + 3000, crc: 2))
        }
        let good = checksums.takeDirtyPages()[0] ?? []
        for _ in 0..<20_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1..<5, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            var damaged = BlockChecksums(encodedPages: [3: bytes])
            let page = 3 * BlockChecksums.pageSize..<4 * BlockChecksums.pageSize
            for record in damaged.records(in: page) {
                #expect(page.contains(record.range.lowerBound) && record.range.upperBound <= page.upperBound)
                #expect(record.range.count <= Int(BlockChecksums.blockSize))
            }
            _ = damaged.remove(page)
            #expect(damaged.records(in: page).isEmpty)
        }
    }

    /// The offsets of such a page can't be represented.
    @Test(arguments: [-1, .min, Int64.max / BlockChecksums.pageSize, .max])
    func ignoresPagesWithImpossibleNumbers(_ page: Int64) {
        var checksums = BlockChecksums()
        checksums.insert(.init(range: 0..<1000, crc: 1))
        var damaged = BlockChecksums(encodedPages: [page: checksums.takeDirtyPages()[0] ?? []])
        #expect(damaged.allPages() == [page: []])
    }
}
