import MediaContainers
import MediaLibrary
import Testing

struct FileMetadataTests {
    @Test func readsTagAndCountsFrames() throws {
        let song = SampleSong.mp3(["TIT2": "Song", "TPE1": "Anna", "TALB": "North"], frames: 100)
        let found = try FileMetadata(of: MemorySource(song))
        #expect(found.metadata.title == "Song" && found.metadata.artist == "Anna" && found.metadata.album == "North")
        #expect(abs(try #require(found.duration) - 100 * SampleSong.frameDuration) < 0.001)
    }

    @Test func readsIndexOfMP4() throws {
        let found = try FileMetadata(of: MemorySource(SampleSong.mp4(["©nam": "Film", "desc": "About"])))
        #expect(found.metadata.title == "Film" && found.metadata.description == "About")
        #expect(found.duration == 7.5)
    }

    private static let otherFiles: [[UInt8]] = [
        [], Array("plain text".utf8), Array("ID3".utf8), Array("ID3".utf8) + [3, 0, 0, 0x7F, 0x7F, 0x7F, 0x7F, 0],
        [0, 0, 0, 8] + Array("moov".utf8), [UInt8](repeating: 0xFF, count: 100_000),
    ]

    @Test(arguments: otherFiles) func findsNothingInDamagedOrForeignFile(_ bytes: [UInt8]) throws {
        let found = try FileMetadata(of: MemorySource(bytes))
        #expect(found.metadata.isEmpty && found.duration == nil)
    }

    /// The tag's declared length exceeds the file, at first within the limit, then beyond it.
    @Test func readsTruncatedTagAndIgnoresLargeOne() throws {
        let song = SampleSong.mp3(["TIT2": "Song"], frames: 0)
        var long = song
        long[8] = 0x40
        #expect(try FileMetadata(of: MemorySource(long)).metadata.title == "Song")
        long[6] = 0x20
        #expect(try FileMetadata(of: MemorySource(long)).metadata.isEmpty)
    }

    @Test func reportsUnreadableSource() {
        #expect(throws: ContainerError.self) { try FileMetadata(of: UnreadableSource()) }
    }

    private struct UnreadableSource: ByteSource {
        let length: Int64 = 1000

        func read(at _: Int64, into _: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
            throw ContainerError(.inputOutput, "unreadable", at: 0)
        }
    }
}
