import HTTPTypes
import MediaCache
import MediaCacheTesting
import MediaLibrary
import Testing

@Suite(.timeLimit(.minutes(60)))
struct PlaylistLoaderTests {
    private let fixture = LibraryFixture()
    private let url: ResourceURL

    init() throws { url = try ResourceURL("http://origin.example/live/index.m3u8") }

    @Test(arguments: [SamplePlaylist.onDemand, SamplePlaylist.multivariant])
    func cachesOnDemandPlaylist(_ text: String) async throws {
        fixture.serve(text, at: url)
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        for _ in 0..<3 {
            for _ in 0..<2 { #expect(try await loader.load(url)?.bytes == Array(text.utf8)) }
            fixture.time.advance(by: .seconds(6))
        }
        #expect(fixture.origin.requests.map(\.status) == [200, 304, 304])
        await store.close()
        fixture.origin.isReachable = false
        let next = try await fixture.open()
        let cached = try #require(try await PlaylistLoader(store: next).load(url))
        #expect(cached.bytes == Array(text.utf8))
        #expect(cached.head.isStale)
        await next.close()
    }

    @Test func requestsLivePlaylistEachTime() async throws {
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        for number in 0..<3 {
            let text = SamplePlaylist.live(from: number, "a\(number).ts")
            fixture.serve(text, at: url, entityTag: "\"\(number)\"")
            let playlist = try #require(try await loader.load(url))
            #expect(playlist.bytes == Array(text.utf8))
            #expect(playlist.isLive)
        }
        #expect(try await store.resources().isEmpty)
        // The request has no range, because the next response may contain another playlist.
        #expect(fixture.origin.requests.allSatisfy { $0.headerFields[.range] == nil })
        await store.close()
    }

    @Test func cachesLivePlaylistOnceItEnds() async throws {
        fixture.serve(SamplePlaylist.live(from: 1, "a.ts"), at: url)
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        _ = try await loader.load(url)
        fixture.serve(SamplePlaylist.live(from: 1, "a.ts") + "#EXT-X-ENDLIST\n", at: url, entityTag: "\"2\"")
        for _ in 0..<3 { #expect(try await loader.load(url)?.isLive == false) }
        #expect(try await store.resource(for: url)?.isComplete == true)
        fixture.origin.isReachable = false
        #expect(try await loader.load(url)?.isLive == false)
        await store.close()
    }

    /// The playlist was cached as an ordinary resource before its type was known. If another reader still uses it, it
    /// isn't removed at once.
    @Test(arguments: [false, true])
    func refetchesLivePlaylistCachedByMistake(isInUse: Bool) async throws {
        let odd = try ResourceURL("http://origin.example/channel?id=5")
        fixture.serve(SamplePlaylist.live(from: 1, "a.ts"), at: odd)
        let store = try await fixture.open()
        let session = try await store.read(ReadRequest(url: odd))
        for try await _ in session.buffers {}
        if !isInUse { session.cancel() }
        let text = SamplePlaylist.live(from: 2, "b.ts")
        fixture.serve(text, at: odd, entityTag: "\"2\"")
        let loader = PlaylistLoader(store: store)
        #expect(!loader.expectsPlaylist(at: odd))
        loader.remember(odd)
        #expect(loader.expectsPlaylist(at: odd))
        #expect(try await loader.load(odd)?.bytes == Array(text.utf8))
        session.cancel()
        // The removal waits for the commit of the replaced version.
        while try await !store.resources().isEmpty {
            try Task.checkCancellation()
            fixture.time.advance(by: .milliseconds(100))
        }
        await store.close()
    }

    @Test func cachesOtherMediaWithPlaylistName() async throws {
        let media = Array("\0\0\0\u{18}ftypisom".utf8) + ScriptedBody.random(seed: 1, length: 1000).bytes
        fixture.origin[url] = ScriptedResource(.bytes(media), contentType: "video/mp4")
        let store = try await fixture.open()
        #expect(try await PlaylistLoader(store: store).load(url) == nil)
        let session = try await store.read(ReadRequest(url: url))
        for try await _ in session.buffers {}
        session.cancel()
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test(arguments: ["gzip", nil])
    func inflatesAndCachesCompressedPlaylist(_ coding: String?) async throws {
        fixture.origin[url] = ScriptedResource(
            .bytes(CompressedSample.playlist), contentType: "application/vnd.apple.mpegurl",
            headerFields: coding.map { [.contentEncoding: $0] } ?? [:])
        let store = try await fixture.open()
        for _ in 0..<2 {
            let playlist = try #require(try await PlaylistLoader(store: store).load(url))
            #expect(String(decoding: playlist.bytes, as: UTF8.self) == CompressedSample.text)
        }
        #expect(fixture.origin.requests.count == 1)
        await store.close()
    }

    @Test func throwsForUnknownCoding() async throws {
        fixture.origin[url] = ScriptedResource(
            .text("br"), contentType: "application/vnd.apple.mpegurl", headerFields: [.contentEncoding: "br"])
        let store = try await fixture.open()
        let error = await #expect(throws: CacheError.self) { try await PlaylistLoader(store: store).load(url) }
        #expect(error?.code == .badResponse)
        #expect(error?.message.contains("br") == true)
        await store.close()
    }

    /// The invalid response isn't cached.
    @Test(arguments: [
        "", "\n\n", #"{"error":"busy"}"#, "Service restarting", "<Error>SlowDown</Error>",
        String(repeating: "\0", count: 100),
    ])
    func throwsForOtherContent(_ text: String) async throws {
        fixture.serve(text, at: url)
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        let error = await #expect(throws: CacheError.self) { try await loader.load(url) }
        #expect(error?.code == .notMedia)
        #expect(try await store.resources().isEmpty)
        fixture.serve(SamplePlaylist.live(from: 1, "a.ts"), at: url, entityTag: "\"2\"")
        #expect(try await loader.load(url)?.isLive == true)
        await store.close()
    }

    @Test func doesNotCachePlaylistWithoutSegments() async throws {
        fixture.serve("#EXTM3U\n#EXT-X-ENDLIST\n", at: url)
        let store = try await fixture.open()
        #expect(try await PlaylistLoader(store: store).load(url)?.isLive == true)
        #expect(try await store.resources().isEmpty)
        await store.close()
    }

    /// The stream had ended when it was first loaded. Then its encoder was restarted.
    @Test func followsStreamThatContinues() async throws {
        let ended = SamplePlaylist.live(from: 1, "a.ts") + "#EXT-X-ENDLIST\n"
        fixture.serve(ended, at: url)
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        #expect(try await loader.load(url)?.isLive == false)
        let text = SamplePlaylist.live(from: 2, "b.ts")
        fixture.serve(text, at: url, entityTag: "\"2\"")
        fixture.time.advance(by: .seconds(6))
        #expect(try await loader.load(url)?.bytes == Array(text.utf8))
        #expect(try await store.resources().isEmpty)
        await store.close()
    }

    /// Only a blocking request (RFC 8216bis §6.2.5.2) may take 60 s longer than others.
    @Test(arguments: [("?_HLS_msn=7&_HLS_part=1", true), ("?_HLS_skip=YES", false), ("", false)])
    func blockingReloadMayTakeLong(_ query: String, _ mayTakeLong: Bool) async throws {
        let url = try ResourceURL(url.description + query)
        fixture.serve(SamplePlaylist.live(from: 1, "a.ts"), at: url)
        let store = try await fixture.open()
        _ = try await PlaylistLoader(store: store).load(url)
        let limits = try #require(fixture.origin.requests.last).limits
        let usual = store.transfers.limits
        #expect(limits.connect == usual.connect)
        #expect(limits.firstByte == usual.firstByte + .seconds(mayTakeLong ? 60 : 0))
        #expect(limits.stall == usual.stall + .seconds(mayTakeLong ? 60 : 0))
        await store.close()
    }

    /// A stopped encoder ends the stream, and a restarted one continues it.
    @Test(arguments: ["\"2\"", nil])
    func requestsEndedPlaylistThatWasLive(_ entityTag: String?) async throws {
        fixture.serve(SamplePlaylist.live(from: 1, "a.ts"), at: url, entityTag: entityTag)
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        _ = try await loader.load(url)
        fixture.serve(
            SamplePlaylist.live(from: 1, "a.ts") + "#EXT-X-ENDLIST\n", at: url,
            entityTag: entityTag.map { _ in "\"3\"" })
        #expect(try await loader.load(url)?.isLive == false)
        fixture.time.advance(by: .seconds(1))
        // If the origin is unreachable, the cached playlist is used.
        fixture.origin.isReachable = false
        #expect(try await loader.load(url)?.isLive == false)
        fixture.origin.isReachable = true
        let text = SamplePlaylist.live(from: 2, "b.ts")
        fixture.serve(text, at: url, entityTag: entityTag.map { _ in "\"4\"" })
        #expect(try await loader.load(url)?.bytes == Array(text.utf8))
        await store.close()
    }
}
