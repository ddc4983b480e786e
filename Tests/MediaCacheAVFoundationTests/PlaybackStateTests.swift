import MediaCache
import MediaCacheTesting
import Observation
import Testing

@testable import MediaCacheAVFoundation

@MainActor
struct PlaybackStateTests {
    private static let body = ScriptedBody.random(seed: 713, length: 400_000)

    /// Waits until a condition is true. Checks it after each change of the properties that it reads.
    private func until(_ condition: @MainActor () -> Bool) async {
        while true {
            let (changes, changed) = AsyncStream.makeStream(of: Void.self)
            if withObservationTracking(condition, onChange: { changed.yield() }) { return }
            for await _ in changes { break }
        }
    }

    @Test func followsCacheProgress() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        let state = PlaybackState(of: player.url, in: store, events: player.loader.events())
        #expect(state.length == nil && state.bytesCached == 0 && state.fractionCached == nil && state.failure == nil)
        let half = player.request(0, 200_000)
        await player.eventually { half.isOver }
        await until { state.mediaType == "video/mp4" && state.length == 400_000 }
        let rest = player.request(200_000)
        await player.eventually { rest.isOver }
        await until { state.fractionCached == 1 }
        #expect(state.bytesCached == 400_000)
        await store.close()
    }

    @Test func showsPreviouslyCachedResource() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        _ = try await store.complete(ReadRequest(url: player.url))
        let state = PlaybackState(of: player.url, in: store, events: player.loader.events())
        await until { state.fractionCached == 1 }
        #expect(state.mediaType == "video/mp4" && state.length == 400_000)
        await store.close()
    }

    /// The resource of a user has another key than the one requested without a user.
    @Test func showsResourceOfUser() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let url = try fixture.serve(Self.body)
        _ = try await store.complete(ReadRequest(url: url))
        var settings = store.transfers
        settings.headerProfiles[url] = HeaderProfiles.Profile(identity: ProfileIdentity(user: "anna"))
        let body = ScriptedBody.random(seed: 714, length: 300_000)
        let player = ScriptedPlayer(
            of: body, at: try fixture.serve(body), origin: fixture.origin, store: store, settings: settings)
        _ = try await store.complete(ReadRequest(url: url, settings: settings))
        let state = PlaybackState(of: url, in: store, settings: settings, events: player.loader.events())
        await until { state.fractionCached == 1 }
        #expect(state.length == 300_000 && state.bytesCached == 300_000)
        await store.close()
    }

    @Test func clearsFailureWhenBytesArrive() async throws {
        let (fixture, store) = try await PlayerFixture.open()
        let player = try fixture.player(of: Self.body, in: store)
        let state = PlaybackState(of: player.url, in: store, events: player.loader.events())
        fixture.origin.next(player.url, .bodyShorter(by: 300_000))
        fixture.origin.always(player.url, .status(404))
        let failed = player.request(0)
        await player.eventually { failed.isOver }
        await until { state.failure != nil }
        #expect(state.failure?.code == failed.error?.code)
        fixture.origin.clearFaults(player.url)
        let again = player.request(100_000)
        await player.eventually { again.isOver }
        await until { state.failure == nil }
        await store.close()
    }
}
