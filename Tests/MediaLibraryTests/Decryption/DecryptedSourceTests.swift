import Foundation
import MediaContainers
import MediaLibrary
import TestSupport
import Testing

struct DecryptedSourceTests {
    private static let vector: [UInt8] = (0..<16).map { UInt8($0 &* 7) }

    private func key(_ cipher: SegmentCipher) -> [UInt8] {
        (0..<cipher.keyLength).map { UInt8(truncatingIfNeeded: $0 &* 11 &+ 3) }
    }

    private func encrypt(_ clear: [UInt8], _ cipher: SegmentCipher) -> [UInt8] {
        encryptAES(clear, key: key(cipher), vector: Self.vector, inCounterMode: cipher == .aes256Counter)
    }

    private func source(_ bytes: [UInt8], _ cipher: SegmentCipher) throws -> DecryptedSource<MemorySource> {
        try DecryptedSource(MemorySource(bytes), cipher: cipher, key: key(cipher), initializationVector: Self.vector)
    }

    @Test(arguments: SegmentCipher.allCases, [0, 1, 15, 16, 17, 262_144, 700_001])
    func decryptsAnyRange(cipher: SegmentCipher, count: Int) throws {
        guard count > 0 || cipher != .aes256Counter else { return }
        let clear = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        let source = try source(encrypt(clear, cipher), cipher)
        #expect(source.length == Int64(count))
        #expect(try source.bytes(0..<Int64(count), limit: count) == clear)
        for (from, to) in [(0, 1), (1, 2), (15, 33), (16, 32), (count / 2, count), (max(0, count - 3), count)]
        where from < to && to <= count {
            #expect(try source.bytes(Int64(from)..<Int64(to), limit: count) == Array(clear[from..<to]))
        }
        var past = [UInt8](repeating: 0xAA, count: 8)
        #expect(try past.withUnsafeMutableBytes { try source.read(at: Int64(count), into: $0) } == 0)
    }

    /// The example in NIST SP 800-38A §F.2.1.
    @Test func decryptsStandardExample() throws {
        let key: [UInt8] = [
            0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
        ]
        let clear: [UInt8] = [
            0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93, 0x17, 0x2A,
        ]
        let first: [UInt8] = [
            0x76, 0x49, 0xAB, 0xAC, 0x81, 0x19, 0xB2, 0x46, 0xCE, 0xE9, 0x8E, 0x9B, 0x12, 0xE9, 0x19, 0x7D,
        ]
        let vector = (0..<16).map { UInt8($0) }
        let padded = encryptAES(clear, key: key, vector: vector)
        #expect(Array(padded.prefix(16)) == first)
        let source = try DecryptedSource(
            MemorySource(Array(padded)), cipher: .aes128, key: key, initializationVector: vector)
        #expect(try source.bytes(0..<16, limit: 16) == clear)
    }

    @Test func detectsWrongKey() throws {
        let bytes = encrypt([UInt8](repeating: 71, count: 1000), .aes128)
        var wrong = key(.aes128)
        wrong[0] ^= 1
        let error = #expect(throws: ContainerError.self) {
            try DecryptedSource(MemorySource(bytes), cipher: .aes128, key: wrong, initializationVector: Self.vector)
        }
        #expect(error?.description.contains("key") == true)
    }

    @Test func detectsHTMLInsteadOfKey() throws {
        let error = #expect(throws: ContainerError.self) {
            try DecryptedSource(
                MemorySource([UInt8](repeating: 0, count: 32)), cipher: .aes128, key: Array("<html>".utf8),
                initializationVector: Self.vector)
        }
        #expect(error?.summary == "the key has 6 bytes; AES-128 requires 16")
    }

    @Test(arguments: [0, 15, 17])
    func detectsTruncatedSegment(count: Int) {
        #expect(throws: ContainerError.self) { try self.source([UInt8](repeating: 0, count: count), .aes256) }
    }
}
