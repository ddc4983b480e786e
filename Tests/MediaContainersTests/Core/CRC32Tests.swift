import MediaContainers
import Testing

struct CRC32Tests {
    private let digits = Array("123456789".utf8)

    @Test func matchesStandardCheckValue() {
        #expect(digits.withUnsafeBytes { CRC32.checksum($0) } == 0xCBF4_3926)
    }

    @Test func resultIsIndependentOfUpdateSizes() {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 3) }
        let whole = bytes.withUnsafeBytes { CRC32.checksum($0) }
        for cut in [0, 1, 7, 8, 9, 500, 999, 1000] {
            var crc = CRC32()
            bytes[..<cut].withUnsafeBytes { crc.update($0) }
            bytes[cut...].withUnsafeBytes { crc.update($0) }
            #expect(crc.value == whole)
        }
    }
}
