import MediaCache
import MediaLibrary
import Testing

struct InflaterTests {
    @Test func aStreamIsInflated() throws {
        let bytes = try Inflater.inflate(CompressedSample.playlist, limit: 1000)
        #expect(String(decoding: bytes, as: UTF8.self) == CompressedSample.text)
    }

    @Test func severalMembersAreOneBody() throws {
        let bytes = try Inflater.inflate(CompressedSample.playlist + CompressedSample.playlist, limit: 1000)
        #expect(String(decoding: bytes, as: UTF8.self) == CompressedSample.text + CompressedSample.text)
    }

    @Test func moreThanTheLimitIsAnError() {
        let error = #expect(throws: CacheError.self) { try Inflater.inflate(CompressedSample.playlist, limit: 10) }
        #expect(error?.message.contains("10 bytes") == true)
    }

    @Test func everyCutIsAnError() {
        for count in 0..<CompressedSample.playlist.count {
            #expect(throws: CacheError.self) {
                try Inflater.inflate(Array(CompressedSample.playlist.prefix(count)), limit: 1000)
            }
        }
    }

    @Test func everyChangedByteIsAnErrorOrHarmless() throws {
        let text = Array(CompressedSample.text.utf8)
        // The first ten bytes are the header, whose time, system and level say nothing of the content.
        for index in CompressedSample.playlist.indices.dropFirst(10) {
            var damaged = CompressedSample.playlist
            damaged[index] ^= 0x40
            if let bytes = try? Inflater.inflate(damaged, limit: 1000) { #expect(bytes == text) }
        }
    }
}
