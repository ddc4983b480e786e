import MediaContainers
import Testing

struct ID3TagTests {
    private func read(_ bytes: [UInt8]) throws -> ID3Tag { try bytes.withUnsafeBytes { try ID3Tag($0) } }

    private func tag(_ version: UInt8, _ content: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, flags, 0, 0, UInt8(content.count >> 7), UInt8(content.count & 127)] + content
    }

    @Test func reads33BitSegmentTimestamp() throws {
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let frame = Array("PRIV".utf8) + [0, 0, 0, 53, 0, 0] + owner + [0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0xFE]
        #expect(try read(tag(4, frame)).transportStreamTimestamp == (1 << 33) - 2)
    }

    @Test func prefersFrontCover() throws {
        func picture(_ type: UInt8, _ byte: UInt8) -> [UInt8] {
            Array("APIC".utf8) + [0, 0, 0, 15, 0, 0, 0] + Array("image/png".utf8) + [0, type, 0x61, 0, byte]
        }
        let found = try #require(try read(tag(3, picture(4, 1) + picture(3, 2))).picture)
        #expect(found == ID3Picture(mediaType: "image/png", type: 3, description: "a", data: [2]))
    }

    @Test func readsShortFrameNamesOfVersion2() throws {
        let frame = Array("PIC".utf8) + [0, 0, 9, 0] + Array("JPG".utf8) + [3, 0, 9, 8, 7]
        let found = try #require(try read(tag(2, frame)).picture)
        #expect(found.mediaType == "JPG" && found.data == [9, 8, 7])
    }

    /// Some writers of ID3v2.4 use plain integers for sizes, instead of synchsafe integers.
    @Test(
        arguments: [[0, 0, 2, 0x2C], [0, 0, 1, 0x2C]] as [[UInt8]],
        [
            [], [UInt8](repeating: 0, count: 20), Array("TIT2".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x61],
        ] as [[UInt8]])
    func readsSynchsafeAndPlainSizes(size: [UInt8], rest: [UInt8]) throws {
        let head: [UInt8] = [0] + Array("image/png".utf8) + [0, 3, 0]
        let data = [UInt8](repeating: 0xAA, count: 300 - head.count)
        let frame = Array("APIC".utf8) + size + [0, 0] + head + data
        #expect(try read(tag(4, frame + rest)).picture?.data == data)
    }

    @Test func readsTextInFourEncodings() throws {
        func title(_ content: [UInt8]) -> [UInt8] {
            Array("TIT2".utf8) + [0, 0, 0, UInt8(content.count), 0, 0] + content
        }
        let texts: [[UInt8]] = [
            [0, 0xE9, 0x21], [1, 0xFF, 0xFE, 0xE9, 0, 0x21, 0], [2, 0, 0xE9, 0, 0x21], [3, 0xC3, 0xA9, 0x21],
        ]
        for text in texts { #expect(try read(tag(4, title(text))).frames == [.text(id: "TIT2", value: "é!")]) }
    }

    @Test(
        arguments: [(3, [0x20], [9]), (4, [0x40], [9]), (4, [0x41], [9, 0, 0, 0, 2])] as [(UInt8, [UInt8], [UInt8])])
    func skipsGroupIdentifierAndDataLengthOfFrame(version: UInt8, flags: [UInt8], prefix: [UInt8]) throws {
        let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(prefix.count + 2), 0] + flags + prefix + [3, 0x61]
        #expect(try read(tag(version, frame)).frames == [.text(id: "TIT2", value: "a")])
    }

    @Test func reversesUnsynchronisation() throws {
        let frame = Array("XXXX".utf8) + [0, 0, 0, 3, 0, 0, 0xFF, 0x00, 0xE0, 0x01]
        #expect(try read(tag(3, frame, flags: 0x80)).frames == [.other(id: "XXXX", data: [0xFF, 0xE0, 0x01])])
    }

    @Test func omitsFramePastEnd() throws {
        let frame = Array("TIT2".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 3, 0x61]
        #expect(try read(tag(3, frame)).frames.isEmpty)
    }

    @Test func rejectsBytesWithoutTag() {
        #expect(throws: ContainerError.self) { try read(Array("ID4.......".utf8)) }
        #expect(throws: ContainerError.self) { try read(Array("ID3".utf8) + [4, 0, 0, 0x80, 0, 0, 0]) }
    }
}
