import AVFoundation
import Foundation
import MediaCache
import MediaCacheAVFoundation
import MediaCacheServer
import MediaCacheTesting
import Testing

/// Tests with AVPlayer. They run on Apple's systems only; elsewhere they are type-checked.
@Suite(.serialized, .timeLimit(.minutes(2)))
@MainActor struct PlaybackTests {
    @Test func playsThroughLoader() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        let asset = try CachingAsset(url, from: fixture.store)
        let item = AVPlayerItem(asset: asset)
        #expect(asset.isLoadedByApp && item.asset === asset && item.cachingAsset === asset)
        #expect(await plays(item, waits: false))
        #expect(asset.trace.entries.contains { $0.wantsContentInformation && $0.ending == .finished })
        await fixture.close()
    }

    /// Without an extension, the player depends on the type that the loader provides.
    @Test(arguments: ["video/mp4; codecs=\"avc1\"", "application/octet-stream", "audio/x-unknown"])
    func playsURLWithoutExtension(type: String) async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film?id=1") { $0.contentType = type }
        #expect(await plays(AVPlayerItem(asset: try CachingAsset(url, from: fixture.store)), waits: false))
        await fixture.close()
    }

    @Test func playsCompleteResourceThroughLoaderAndFromFile() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        _ = try await fixture.store.complete(ReadRequest(url: url))
        fixture.server.stop()
        let loaded = try CachingAsset(url, from: fixture.store)
        #expect(await plays(AVPlayerItem(asset: loaded), waits: false))
        let asset = try await CachingAsset.find(url, from: fixture.store)
        #expect(asset.url.isFileURL && !asset.isLoadedByApp)
        #expect(await plays(AVPlayerItem(asset: asset), waits: true))
        await fixture.close()
    }

    @Test func playsStreamFromServer() async throws {
        let fixture = try await PlayerFixture()
        let server = EmbeddedServer(store: fixture.store)
        let asset = try await CachingAsset.find(try fixture.serveStream(), from: fixture.store, server: server)
        #expect(asset.url.host() == "127.0.0.1")
        #expect(await plays(AVPlayerItem(asset: asset), waits: true))
        await server.end()
        await fixture.close()
    }

    @Test func playsResourceOfUnknownLengthFromServer() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4") { $0.acceptsRanges = false }
        fixture.server.origin.always(url, .noContentLength)
        let server = EmbeddedServer(store: fixture.store)
        let asset = try await CachingAsset.find(url, from: fixture.store, server: server)
        #expect(!asset.isLoadedByApp)
        #expect(await plays(AVPlayerItem(asset: asset), waits: true))
        await server.end()
        await fixture.close()
    }

    /// A copy made by AVFoundation must not call an initializer that the class doesn't have.
    @Test func copiesAsset() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        let asset = try CachingAsset(url, from: fixture.store)
        #expect(asset.copy() as? CachingAsset === asset)
        await fixture.close()
    }

    @Test func seeks() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        let item = AVPlayerItem(asset: try CachingAsset(url, from: fixture.store))
        let player = AVPlayer(playerItem: item)
        player.automaticallyWaitsToMinimizeStalling = false
        #expect(await eventually { item.status == .readyToPlay })
        #expect(await player.seek(to: CMTime(seconds: 3, preferredTimescale: 600)))
        #expect(abs(player.currentTime().seconds - 3) < 1)
        await fixture.close()
    }

    @Test func cancelsRequestsWhenItemIsReplaced() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        let gate = ScriptedGate()
        fixture.server.origin.always(url, .holdBody(at: 200_000, gate))
        let asset = try CachingAsset(url, from: fixture.store)
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        #expect(await eventually { !asset.trace.entries.isEmpty })
        player.replaceCurrentItem(with: nil)
        #expect(await eventually { asset.trace.entries.allSatisfy { $0.ending != nil } })
        gate.open()
        await fixture.close()
    }

    /// The error of the item contains the error of the cache, with its domain and code.
    @Test func reportsErrorOfOrigin() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        fixture.server.origin.always(url, .status(404))
        let item = AVPlayerItem(asset: try CachingAsset(url, from: fixture.store))
        let player = AVPlayer(playerItem: item)
        #expect(await eventually { item.status == .failed })
        let error = try #require(item.error)
        let texts = "\(error)"
        #expect(texts.contains(CacheError.errorDomain), "\(texts)")
        player.replaceCurrentItem(with: nil)
        await fixture.close()
    }

    @Test func extractsCover() async throws {
        let fixture = try await PlayerFixture()
        let (url, _) = try fixture.serveClip(at: "film.mp4")
        let asset = try CachingAsset(url, from: fixture.store)
        let file = try await asset.coverFile(at: 1, maximumSize: CGSize(width: 64, height: 64))
        #expect(file.starts(with: [0xFF, 0xD8, 0xFF]))
        await fixture.close()
    }
}
