import MediaContainers
import Testing

struct SegmentFormatTests {
    /// A letter with the value of the sync byte repeats at a packet distance: 192 bytes in the first text, 204 in the
    /// second.
    @Test(arguments: [
        "#EXTINF:10.000,\nvideo/1080p/SEGMENT_00000001.ts\n",
        "#EXTINF:10.000,\n#EXT-X-BYTERANGE:100000@1000000\nmainGxxxxxxxxxxx.ts\n",
    ])
    func doesNotMistakePlaylistForTransportStream(_ entry: String) {
        #expect([192, 204].contains { $0 % entry.utf8.count == 0 })
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n" + String(repeating: entry, count: 1000)
        for isWhole in [true, false] {
            let format = Array(text.utf8).withUnsafeBytes { SegmentFormat.recognize($0, isWhole: isWhole) }
            #expect(format == nil)
        }
    }
}
