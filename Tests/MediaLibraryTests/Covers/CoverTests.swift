import MediaContainers
import MediaLibrary
import Testing

struct CoverTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0] + [UInt8](repeating: 5, count: 300)

    private func tag(_ mediaType: String, _ picture: [UInt8]) -> [UInt8] {
        let content = [0] + Array(mediaType.utf8) + [0, 3, 0] + picture
        let size = content.count
        let frame = Array("APIC".utf8) + [0, 0, UInt8(size >> 7), UInt8(size & 127), 0, 0] + content
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(frame.count >> 7), UInt8(frame.count & 127)] + frame
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + content
    }

    @Test func readsPictureOfID3Tag() throws {
        let song = tag("image/jpeg", Self.jpeg) + [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 2000)
        let cover = try #require(try Cover.embedded(in: MemorySource(song)))
        #expect(cover.bytes == Self.jpeg)
        #expect(cover.mediaType == "image/jpeg")
        #expect(cover.pathExtension == "jpg")
    }

    @Test func firstBytesOverrideDeclaredMediaType() throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 1, 2, 3]
        let cover = try #require(try Cover.embedded(in: MemorySource(tag("image/jpeg", png))))
        #expect(cover.mediaType == "image/png")
        #expect(cover.pathExtension == "png")
    }

    @Test func ignoresLink() throws {
        #expect(try Cover.embedded(in: MemorySource(tag("-->", Array("http://h/a.jpg".utf8)))) == nil)
    }

    @Test func readsPictureOfMP4() throws {
        let data = box("data", [0, 0, 0, 13, 0, 0, 0, 0] + Self.jpeg)
        let list = box("ilst", box("covr", data))
        let handler = box(
            "hdlr", [UInt8](repeating: 0, count: 8) + Array("mdir".utf8) + [UInt8](repeating: 0, count: 13))
        let movie = box(
            "mvhd", [UInt8](repeating: 0, count: 12) + [0, 0, 3, 0xE8, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 80))
        let user = box("udta", box("meta", [0, 0, 0, 0] + handler + list))
        let file = box("ftyp", Array("M4A ".utf8) + [0, 0, 0, 0]) + box("moov", movie + user)
        let cover = try #require(try Cover.embedded(in: MemorySource(file)))
        #expect(cover.bytes == Self.jpeg)
        #expect(cover.mediaType == "image/jpeg")
    }

    @Test func returnsNilWithoutPicture() throws {
        #expect(try Cover.embedded(in: MemorySource(Array("no media".utf8))) == nil)
    }
}
