/// Songs and films with metadata, in as few bytes as possible.
enum SampleSong {
    /// The duration of each frame in seconds.
    static let frameDuration = 1152.0 / 44_100

    /// Returns an MP3 file: an ID3 2.3 tag with text frames, and frames without content.
    static func mp3(_ texts: [String: String], frames: Int = 10) -> [UInt8] {
        let content: [UInt8] = texts.sorted { $0.key < $1.key }.flatMap { id, text -> [UInt8] in
            Array(id.utf8) + size(text.utf8.count + 1) + [0, 0, 0] + Array(text.utf8)
        }
        let length = [UInt8(content.count >> 14 & 127), UInt8(content.count >> 7 & 127), UInt8(content.count & 127)]
        let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0] + length + content
        // Layer III at 44.1 kHz and 128 kbit/s: 417 bytes per frame.
        let frame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 413)
        return tag + (0..<frames).flatMap { _ in frame }
    }

    /// Returns an MP4 file without tracks, with texts by the names of their items.
    static func mp4(_ texts: [String: String]) -> [UInt8] {
        let items: [UInt8] = texts.sorted { $0.key < $1.key }.flatMap { name, text -> [UInt8] in
            box(
                name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) },
                box(Array("data".utf8), [0, 0, 0, 1, 0, 0, 0, 0] + Array(text.utf8)))
        }
        let header: [UInt8] = [UInt8](repeating: 0, count: 12) + [0, 0, 3, 0xE8, 0, 0, 0x1D, 0x4C]
        let meta = box(Array("meta".utf8), [0, 0, 0, 0] + box(Array("ilst".utf8), items))
        let movie = box(Array("mvhd".utf8), header + [UInt8](repeating: 0, count: 80)) + box(Array("udta".utf8), meta)
        return box(Array("ftyp".utf8), Array("M4A ".utf8) + [0, 0, 0, 0]) + box(Array("moov".utf8), movie)
    }

    private static func size(_ count: Int) -> [UInt8] {
        (0..<4).map { byte in UInt8(truncatingIfNeeded: count >> (24 - 8 * byte)) }
    }

    private static func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] { size(content.count + 8) + type + content }
}
