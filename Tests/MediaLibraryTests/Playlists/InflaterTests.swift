import HLS
import MediaCache
import Testing

@testable import MediaLibrary

struct InflaterTests {
    @Test func inflatesStream() throws {
        let bytes = try Inflater.inflate(CompressedSample.playlist, limit: 1000)
        #expect(String(decoding: bytes, as: UTF8.self) == CompressedSample.text)
    }

    @Test func joinsMembers() throws {
        let bytes = try Inflater.inflate(CompressedSample.playlist + CompressedSample.playlist, limit: 1000)
        #expect(String(decoding: bytes, as: UTF8.self) == CompressedSample.text + CompressedSample.text)
    }

    @Test func throwsBeyondLimit() {
        let error = #expect(throws: CacheError.self) { try Inflater.inflate(CompressedSample.playlist, limit: 10) }
        #expect(error?.message.contains("10 bytes") == true)
    }

    @Test func distinguishesLongFromDamagedPlaylist() {
        #expect(throws: PlaylistError.playlistTooLong(limit: 10)) {
            try Inflater.inflatePlaylist(CompressedSample.playlist, limit: 10)
        }
        #expect(throws: PlaylistError.notInflated) {
            try Inflater.inflatePlaylist(Array(CompressedSample.playlist.dropLast()), limit: 1000)
        }
    }

    @Test func throwsForTruncatedStream() {
        for count in 0..<CompressedSample.playlist.count {
            #expect(throws: CacheError.self) {
                try Inflater.inflate(Array(CompressedSample.playlist.prefix(count)), limit: 1000)
            }
        }
    }

    @Test func detectsChangedBytes() throws {
        let text = Array(CompressedSample.text.utf8)
        // The time, system and level in the ten-byte header don't affect the content.
        for index in CompressedSample.playlist.indices.dropFirst(10) {
            var damaged = CompressedSample.playlist
            damaged[index] ^= 0x40
            if let bytes = try? Inflater.inflate(damaged, limit: 1000) { #expect(bytes == text) }
        }
    }
}
