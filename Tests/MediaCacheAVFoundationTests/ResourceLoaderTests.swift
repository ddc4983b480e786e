import HTTPTypes
import MediaCache
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCacheAVFoundation

@Suite(.timeLimit(.minutes(30)))
struct ResourceLoaderTests {
    private static let body = ScriptedBody.random(seed: 701, length: 3_000_000)

    @Test func playsFilmWithIndexAtStart() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        let first = await player.open()
        #expect(
            first.information
                == ContentInformation(mediaType: "video/mp4", typeIdentifier: "public.mpeg-4", length: 3_000_000))
        #expect(first.bytes == Self.body.bytes(in: 0..<2))
        let all = player.request(0)
        await player.eventually { all.isOver }
        #expect(all.isFinished && all.count == 3_000_000)
        player.check()
        #expect(player.sent == 3_000_000)
        #expect(player.loader.requests == 0)
        await store.close()
    }

    /// The player doesn't find the index at the start, and requests the end of the file.
    @Test func playsFilmWithIndexAtEnd() async throws {
        let fixture = PlayerFixture()
        let store = try await fixture.open { $0.transfers.readAhead = ReadAhead(initial: 64 << 10, maximum: 64 << 10) }
        let player = try fixture.player(of: Self.body, in: store)
        _ = await player.open()
        let beginning = player.request(0)
        await player.eventually { beginning.count >= 32 }
        player.cancel(beginning)
        let tail = player.request(2_900_000)
        await player.eventually { tail.isOver }
        #expect(fixture.origin.requests(for: player.url).contains { $0.range?.knownStart == 2_900_000 })
        let (audio, video) = (player.request(65_536, 1_000_000), player.request(60_000))
        await player.eventually { audio.isOver && video.isOver }
        #expect(audio.isFinished && video.isFinished)
        player.check()
        // Up to two buffers of the aborted response are sent again.
        #expect(player.sent <= 3_000_000 + (128 << 10))
        await store.close()
    }

    @Test func fetchesOverlappingRequestsOnce() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        let requests = [player.request(0), player.request(0, 2_000_000), player.request(524_288), player.request(0)]
        await player.eventually { requests.allSatisfy(\.isFinished) }
        player.check()
        #expect(player.sent == 3_000_000)
        await store.close()
    }

    @Test func cancelledRequestReceivesNoMoreBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        let gate = ScriptedGate()
        fixture.origin.always(player.url, .holdBody(at: 200_000, gate))
        let request = player.request(100_000)
        await gate.waitForArrivals()
        await player.eventually { request.count == 100_000 }
        player.cancel(request)
        gate.open()
        fixture.origin.clearFaults(player.url)
        let again = player.request(100_000)
        await player.eventually { again.isOver }
        #expect(request.count == 100_000 && !request.isFinished && request.error == nil)
        player.check()
        #expect(player.sent == 2_900_000)
        try await store.sessionsEnded()
        await store.close()
    }

    /// If a request fails after its first bytes, AVPlayer waits without an error, so the app needs an event.
    @Test func reportsFailureAfterFirstBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        var events = player.loader.events().makeAsyncIterator()
        fixture.origin.next(player.url, .bodyShorter(by: 500_000))
        fixture.origin.always(player.url, .status(404))
        let request = player.request(0)
        guard case .opened("video/mp4", 3_000_000) = await events.next() else {
            Issue.record("expected an opened event")
            return
        }
        guard case .failed(let error, let offset) = await events.next() else {
            Issue.record("expected a failed event")
            return
        }
        #expect(offset == Int64(request.count) && offset > 0)
        await player.eventually { request.isOver }
        #expect(request.error?.code == error.code && !request.isFinished)
        player.check()
        // When the origin has recovered, a new request returns the remaining bytes.
        fixture.origin.clearFaults(player.url)
        let again = player.request(offset)
        await player.eventually { again.isOver }
        player.check()
        #expect(again.isFinished)
        await store.close()
    }

    @Test(arguments: [404, 403, 500]) func failsRequestWithOriginStatus(status: Int) async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        var events = player.loader.events().makeAsyncIterator()
        fixture.origin.always(player.url, .status(status))
        let request = await player.open()
        #expect(request.error?.status == status && request.information == nil && request.count == 0)
        guard case .failed(let error, at: 0) = await events.next() else {
            Issue.record("expected a failed event")
            return
        }
        #expect(error.status == status)
        await store.close()
    }

    @Test func failsForHTMLPage() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        fixture.origin.always(player.url, .page())
        let request = await player.open()
        #expect(request.error != nil && request.information == nil && request.count == 0)
        await store.close()
    }

    @Test func playsCachedResourceWithoutOrigin() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let first = try fixture.player(of: Self.body, in: store)
        let all = first.request(0)
        await first.eventually { all.isFinished }
        await store.close()
        let again = try await fixture.open()
        fixture.origin.isReachable = false
        let player = ScriptedPlayer(of: Self.body, at: first.url, origin: fixture.origin, store: again)
        let opened = await player.open()
        #expect(opened.information?.length == 3_000_000 && opened.information?.isComplete == true)
        let requests = [player.request(0), player.request(2_999_999), player.request(1_234_567, 100)]
        await player.eventually { requests.allSatisfy(\.isOver) }
        #expect(requests.allSatisfy { $0.isFinished })
        player.check()
        await again.close()
    }

    @Test func replacesGenericMediaType() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store) { $0.contentType = "application/octet-stream" }
        #expect(await player.open().information?.mediaType == "video/mp4")
        await store.close()
    }

    /// The loader refuses media of unknown length, because AVFoundation may fail to load it from an app.
    @Test func failsWithoutLength() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store) { $0.acceptsRanges = false }
        let gate = ScriptedGate()
        fixture.origin.always(player.url, .noContentLength, .holdBody(at: 100_000, gate))
        let first = await player.open()
        #expect(first.error?.code == .invalidSetting && first.information == nil && first.count == 0)
        gate.open()
        await store.close()
    }

    /// AVFoundation raises an exception if a request finishes with a type that it doesn't allow.
    @Test func providesAllowedType() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body, at: "song.m4a") { $0.contentType = "audio/mp4" }
        let player = ScriptedPlayer(of: Self.body, at: url, origin: fixture.origin, store: store)
        let some = await player.requestContentInformation(nil, allowing: ["public.mp3", "com.apple.m4a-audio"])
        #expect(some.isFinished && some.information?.typeIdentifier == "com.apple.m4a-audio")
        let any = await player.requestContentInformation(nil)
        #expect(any.isFinished && any.information?.typeIdentifier == "public.mpeg-4-audio")
        let other = await player.requestContentInformation(nil, allowing: ["public.mp3"])
        #expect(!other.isFinished && other.error?.code == .notMedia && other.information == nil)
        #expect(player.loader.trace.entries.last?.ending == .failed)
        await store.close()
    }

    /// The system doesn't know the declared type, and the URL has no extension.
    @Test func providesTypeOfFirstBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let bytes: [UInt8] = [0, 0, 0, 0x18] + Array("ftypisom".utf8) + [UInt8](repeating: 0, count: 200_000)
        let body = ScriptedBody.bytes(bytes)
        let url = try fixture.serve(body, at: "play?id=1") { $0.contentType = "audio/x-unknown" }
        let player = ScriptedPlayer(of: body, at: url, origin: fixture.origin, store: store)
        let request = await player.requestContentInformation(nil, allowing: ["public.mpeg-4"])
        #expect(request.isFinished && request.information?.typeIdentifier == "public.mpeg-4")
        await store.close()
    }

    /// AVFoundation accepts any number of bytes at once, and cancels a request only when its buffer is full.
    @Test func limitsPaceOfPartialResource() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body)
        let pace = DeliveryPace(burst: 500_000, bytesPerSecond: 100_000)
        let player = ScriptedPlayer(of: Self.body, at: url, origin: fixture.origin, store: store, pace: pace)
        let request = player.request(0)
        await player.eventually { request.count > 500_000 }
        // The clock doesn't advance, so the request waits; other requests don't.
        let other = player.request(2_000_000, 1000)
        await player.eventually { other.isOver }
        #expect(other.isFinished && !request.isOver && request.count < 3_000_000)
        player.cancel(request)
        _ = try await store.complete(ReadRequest(url: url))
        // A player that opened the partial resource still requests everything in advance.
        let late = player.request(0)
        await player.eventually { late.count > 500_000 }
        #expect(!late.isOver)
        player.cancel(late)
        player.check()
        let newPlayer = ScriptedPlayer(of: Self.body, at: url, origin: fixture.origin, store: store, pace: pace)
        _ = await newPlayer.open()
        let whole = newPlayer.request(0)
        await newPlayer.eventually { whole.isOver }
        #expect(whole.isFinished && whole.count == 3_000_000)
        newPlayer.check()
        await store.close()
    }

    @Test func delaysBytesAfterBurst() {
        let pace = DeliveryPace(burst: 1000, bytesPerSecond: 100)
        #expect(pace.delay(after: 1000, elapsed: .zero) == .zero)
        #expect(pace.delay(after: 1200, elapsed: .zero) == .seconds(2))
        #expect(pace.delay(after: 1200, elapsed: .seconds(1)) == .seconds(1))
        #expect(pace.delay(after: 1200, elapsed: .seconds(60)) < .zero)
    }

    @Test func providesContentInformationWithoutBytes() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        for data in [nil, RequestedData(offset: 0, length: 0)] {
            let request = await player.requestContentInformation(data)
            #expect(request.isFinished && request.information?.length == 3_000_000 && request.count == 0)
        }
        await store.close()
    }

    /// The loader can't serve the references of a playlist.
    @Test func refusesStream() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(.text("#EXTM3U\n#EXT-X-ENDLIST\n"), at: "stream?id=1") {
            $0.contentType = "text/plain"
        }
        let player = ScriptedPlayer(
            of: .text("#EXTM3U\n#EXT-X-ENDLIST\n"), at: url, origin: fixture.origin, store: store)
        let request = await player.open()
        #expect(request.error?.code == .invalidSetting && request.count == 0 && request.information == nil)
        await store.close()
    }

    @Test func appliesTransferSettings() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body)
        var settings = store.transfers
        settings.headerProfiles[url] = HeaderProfiles.Profile(fields: [.referer: "https://app/"])
        let player = ScriptedPlayer(
            of: Self.body, at: url, origin: fixture.origin, store: store, settings: settings)
        _ = await player.open()
        #expect(fixture.origin.requests(for: url).allSatisfy { $0.headerFields[.referer] == "https://app/" })
        await store.close()
    }

    private struct ClosedOrigin: Origin {
        func send(_ request: OriginRequest) async throws -> OriginResponse {
            throw CacheError(.closed, "the origin was shut down")
        }
    }

    /// An origin that was shut down throws the same error as a suspended store, but doesn't recover.
    @Test func failsWhenOriginIsShutDown() async throws {
        let (fixture, store) = try await PlayerFixture.open(over: ClosedOrigin())
        let player = try fixture.player(of: Self.body, in: store)
        let request = await player.open()
        #expect(request.error?.code == .closed)
        await store.close()
    }

    @Test func refusesRequestsForOtherURLs() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        for url in ["https://origin.example/film.mp4", "mediacache-https://other.example/film.mp4", "", "mediacache-"] {
            #expect(!player.loader.load(ScriptedLoadingRequest(url, data: RequestedData(offset: 0, length: 2))))
        }
        #expect(player.loader.requests == 0)
        await store.close()
    }

    @Test func convertsURLsInBothDirections() throws {
        for text in ["https://a.example/f.mp4", "http://[::1]:8080/a%20b/c.mp4?sig=%2F+x", "https://a.example/"] {
            let url = try ResourceURL(text)
            #expect(CachingScheme.resource(of: CachingScheme.url(for: url)) == url)
        }
        #expect(CachingScheme.resource(of: "MediaCache-HTTPS://a.example/F.mp4")?.target == "/F.mp4")
        #expect(CachingScheme.resource(of: "https://a.example/f.mp4") == nil)
        #expect(CachingScheme.resource(of: "mediacache-ftp://a.example/f.mp4") == nil)
    }
}
