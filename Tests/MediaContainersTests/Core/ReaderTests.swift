import MediaContainers
import Testing

struct ReaderTests {
    @Test func readsBigEndianFieldsAndAdvances() throws {
        let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x66, 0x74, 0x79, 0x70]
        try bytes.withUnsafeBytes { (buffer) throws in
            var reader = ByteReader(buffer, origin: 100)
            #expect(try reader.uint24() == 0x010203)
            #expect(try reader.uint16() == 0x0405)
            #expect(try reader.uint8() == 6)
            #expect(try reader.fourCC() == "ftyp")
            #expect(reader.isAtEnd)
            #expect(reader.offset == 110)
        }
    }

    @Test func reportsOffsetOfReadPastEnd() {
        let bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeBytes { buffer in
            var reader = ByteReader(buffer, origin: 40)
            let error = #expect(throws: ContainerError.self) { try reader.uint32() }
            #expect(error?.code == .truncated)
            #expect(error?.offset == 40)
        }
    }

    @Test func readsExpGolombCodesOfStandardTable() throws {
        // 1 010 011 00100 00101 00110: 0 to 5 unsigned.
        let bytes: [UInt8] = [0b1010_0110, 0b0100_0010, 0b1001_1000]
        try bytes.withUnsafeBytes { (buffer) throws in
            var reader = BitReader(buffer)
            for expected in 0...5 as ClosedRange<UInt32> { #expect(try reader.unsignedExpGolomb() == expected) }
            var signed = BitReader(buffer)
            for expected in [0, 1, -1, 2, -2, 3] as [Int32] { #expect(try signed.signedExpGolomb() == expected) }
        }
    }

    /// 32 zeros, a one and 32 bits: 2³², which isn't in the range of `ue(v)`.
    @Test func rejectsExpGolombValueAbove32Bits() {
        let bytes: [UInt8] = [0, 0, 0, 0, 0x80, 0, 0, 0, 0x80]
        bytes.withUnsafeBytes { buffer in
            var reader = BitReader(buffer)
            #expect(throws: ContainerError.self) { try reader.unsignedExpGolomb() }
        }
    }

    @Test func skipsEmulationPreventionBytes() throws {
        let bytes: [UInt8] = [0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 2]
        try bytes.withUnsafeBytes { (buffer) throws in
            var reader = BitReader(buffer, emulationPrevention: true)
            var payload: [UInt32] = []
            for _ in 0..<8 { payload.append(try reader.bits(8)) }
            #expect(payload == [0, 0, 1, 0, 0, 0, 0, 2])
            #expect(throws: ContainerError.self) { try reader.bits(1) }
        }
    }

    @Test func printsFourCharacterCodesAsText() {
        #expect(FourCC("moov").description == "moov")
        #expect(FourCC("©nam").rawValue == 0xA96E_616D)
    }
}
