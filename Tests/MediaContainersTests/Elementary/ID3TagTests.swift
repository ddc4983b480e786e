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
        for text in texts { #expect(try read(tag(4, title(text))).frames == [.text(id: "TIT2", values: ["é!"])]) }
    }

    @Test(
        arguments: [(3, [0x20], [9]), (4, [0x40], [9]), (4, [0x41], [9, 0, 0, 0, 2])] as [(UInt8, [UInt8], [UInt8])])
    func skipsGroupIdentifierAndDataLengthOfFrame(version: UInt8, flags: [UInt8], prefix: [UInt8]) throws {
        let frame = Array("TIT2".utf8) + [0, 0, 0, UInt8(prefix.count + 2), 0] + flags + prefix + [3, 0x61]
        #expect(try read(tag(version, frame)).frames == [.text(id: "TIT2", values: ["a"])])
    }

    @Test func reversesUnsynchronisation() throws {
        let frame = Array("XXXX".utf8) + [0, 0, 0, 3, 0, 0, 0xFF, 0x00, 0xE0, 0x01]
        #expect(try read(tag(3, frame, flags: 0x80)).frames == [.other(id: "XXXX", data: [0xFF, 0xE0, 0x01])])
    }

    @Test func omitsFramePastEnd() throws {
        let frame = Array("TIT2".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 3, 0x61]
        #expect(try read(tag(3, frame)).frames.isEmpty)
    }

    private func text(_ id: String, _ value: [UInt8], version: UInt8 = 3) -> [UInt8] {
        let size = [0, UInt8(value.count >> 8), UInt8(value.count & 255)]
        return version == 2 ? Array(id.utf8) + size + value : Array(id.utf8) + [0] + size + [0, 0] + value
    }

    private func latin(_ text: String) -> [UInt8] { [0] + Array(text.utf8) }

    @Test func readsMetadataOfVersion3() throws {
        let units: [UInt8] = "Fjäll 山 🎵".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let utf16: [UInt8] = [1, 0xFF, 0xFE] + units + [0, 0]
        let frames: [[UInt8]] = [
            text("TIT2", utf16), text("TPE1", latin("Anna Ek/Bo Lind")), text("TPE2", latin("Various")),
            text("TALB", latin("  North\0")), text("TRCK", latin("3/12")), text("TPOS", latin("1/2")),
            text("TYER", latin("1998")), text("TCON", latin("(17)(CR)Eurodisco")), text("TIT2", latin("Other")),
        ]
        let metadata = try read(tag(3, frames.flatMap(\.self))).metadata
        #expect(metadata.title == "Fjäll 山 🎵")
        #expect(metadata.artist == "Anna Ek/Bo Lind" && metadata.albumArtist == "Various" && metadata.album == "North")
        #expect(metadata.track == 3 && metadata.trackCount == 12 && metadata.disc == 1 && metadata.discCount == 2)
        #expect(metadata.year == 1998 && metadata.genre == "Rock, Cover, Eurodisco")
    }

    @Test func readsSeveralValuesAndDateOfVersion4() throws {
        let frames: [[UInt8]] = [
            text("TPE1", [3] + Array("Anna\0Bo\0".utf8)), text("TCON", [3] + Array("17\0Rock\0(4\0((Odd)".utf8)),
            text("TDRC", latin("2004-05-06T10:00")), text("TRCK", latin("7")),
            text("TDES", latin("One\nTwo\n\n\nThree")),
        ]
        let metadata = try read(tag(4, frames.flatMap(\.self))).metadata
        #expect(metadata.artist == "Anna, Bo" && metadata.genre == "Rock, (4, (Odd)")
        #expect(metadata.year == 2004 && metadata.track == 7 && metadata.trackCount == nil)
        #expect(metadata.description == "One\nTwo\nThree")
    }

    @Test func readsMetadataOfVersion2() throws {
        let frames: [[UInt8]] = [
            text("TT2", latin("Song"), version: 2), text("TP1", latin("Artist"), version: 2),
            text("TAL", latin("Album"), version: 2), text("TRK", latin("2"), version: 2),
            text("TYE", latin("1987"), version: 2), text("TCO", latin("(9)"), version: 2),
        ]
        let metadata = try read(tag(2, frames.flatMap(\.self))).metadata
        #expect(metadata.title == "Song" && metadata.artist == "Artist" && metadata.album == "Album")
        #expect(metadata.track == 2 && metadata.year == 1987 && metadata.genre == "Metal")
    }

    @Test(arguments: ["0", "-1", "10000", "99999999999999999999", "A3", "1.5", "/", "x/y", ""])
    func omitsInvalidNumber(_ number: String) throws {
        let frames = text("TRCK", latin(number)) + text("TYER", latin(number)) + text("TCON", latin("(\(number))"))
        let metadata = try read(tag(3, frames)).metadata
        #expect(metadata.track == nil && metadata.trackCount == nil)
        #expect(metadata.year == nil)
        // A genre without a name is displayed as it is.
        #expect(metadata.genre == (number == "0" ? "Blues" : "(\(number))"))
    }

    /// Terminals interpret control characters, and formatting characters reverse text.
    @Test func removesControlCharactersAndLimitsLength() throws {
        let hostile = Array("\u{1B}[2Ja\u{202E}b\u{85}\u{0}".utf8)
        #expect(try read(tag(4, text("TIT2", [3] + hostile))).metadata.title == "[2Jab")
        #expect(try read(tag(4, text("TIT2", [3, 0x20, 0x0A, 0]))).metadata.isEmpty)
        let long = [UInt8](repeating: 0x61, count: 16_000)
        #expect(try read(tag(3, text("TIT2", [0] + long))).metadata.title?.utf8.count == 500)
    }

    @Test func limitsFramesAndValues() throws {
        let frame = text("TIT2", [0, 0x61])
        let content = (0..<20_000).flatMap { _ in frame }
        let size = [UInt8(content.count >> 14 & 127), UInt8(content.count >> 7 & 127), UInt8(content.count & 127)]
        let bytes = Array("ID3".utf8) + [3, 0, 0, 0] + size + content
        #expect(try read(bytes).frames.count == 10_000)
        let values = (0..<1000).flatMap { _ in Array("a\0".utf8) }
        #expect(try read(tag(4, text("TPE1", [3] + values))).metadata.artist?.count == 64 * 3 - 2)
        #expect(try read(tag(4, text("TPE1", [UInt8](repeating: 0, count: 5000)))).metadata.isEmpty)
    }

    @Test func rejectsBytesWithoutTag() {
        #expect(throws: ContainerError.self) { try read(Array("ID4.......".utf8)) }
        #expect(throws: ContainerError.self) { try read(Array("ID3".utf8) + [4, 0, 0, 0x80, 0, 0, 0]) }
    }
}
