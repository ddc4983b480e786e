import Foundation
import MediaCache
import MediaCacheTesting
import MediaContainers
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// What the library finds out by itself of what was downloaded: a picture, and how long it lasts.
@Suite(.timeLimit(.minutes(10)))
struct CoverKeeperTests {
    private let origin = ScriptedOrigin()
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 4]

    private func withHost(_ body: (CacheHost, APIClient) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "covers-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let change: (inout ServerConfiguration) -> Void = {
            $0.keepsCovers = true
            $0.frames = FixedFrames()
        }
        try await CacheHost.use(folder: folder, origin: origin, change) { host in
            let client = APIClient(address: try #require(host.server.boundAddresses.first), key: host.key)
            do { try await body(host, client) } catch {
                await client.close()
                throw error
            }
            await client.close()
        }
    }

    /// Asks until the asset has a picture; each answer takes its time.
    private func cover(of id: String, _ client: APIClient) async throws -> Cover {
        while true {
            if let cover = try await client.cover(of: id) { return cover }
            try Task.checkCancellation()
        }
    }

    /// An ID3 tag of version 2.3 with one picture (APIC), and what might be sound.
    private func song() -> [UInt8] {
        let picture = [0] + Array("image/jpeg".utf8) + [0, 3, 0] + Self.jpeg
        let frame = Array("APIC".utf8) + [0, 0, 0, UInt8(picture.count), 0, 0] + picture
        return Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
            + [UInt8](repeating: 0x55, count: 2_000)
    }

    @Test func aSongHasThePictureInIt() async throws {
        let url = try ResourceURL("http://origin.example/song.mp3")
        origin[url] = ScriptedResource(.bytes(song()), contentType: "audio/mpeg")
        try await withHost { host, client in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            #expect(try await cover(of: id, client).bytes == Self.jpeg)
        }
    }

    @Test func aFilmHasAFrameAndItsDuration() async throws {
        guard let file = try Corpus.data("androidx-media/media/mp4/sample.mp4") else { return }
        let url = try ResourceURL("http://origin.example/film.mp4")
        origin[url] = ScriptedResource(.bytes(Array(file)), contentType: "video/mp4")
        try await withHost { host, client in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            #expect(try await cover(of: id, client).bytes == FixedFrames.picture)
            let asset: AssetRecord = try await host.answer("GET", "/api/v1/assets/\(id)")
            let seconds = try #require(try MP4Reader(MemorySource(Array(file))).movie.seconds)
            #expect(asset.duration == seconds && seconds > 0.9)
        }
    }

    /// What somebody has chosen isn't replaced when the same is downloaded again.
    @Test func aPictureThatIsThereStays() async throws {
        let (film, song) = (
            try ResourceURL("http://origin.example/film.bin"), try ResourceURL("http://origin.example/song.mp3")
        )
        origin[film] = ScriptedResource(.random(seed: 1, length: 5_000), contentType: "video/mp4")
        origin[song] = ScriptedResource(.bytes(self.song()), contentType: "audio/mpeg")
        try await withHost { host, client in
            let paused: DownloadRecord = try await host.answer(
                "POST", "/api/v1/downloads", body: #"{"url":"\#(film)","paused":true}"#)
            let own = Cover(bytes: [0xFF, 0xD8, 0xFF, 9], mediaType: "image/jpeg")
            try await client.setCover(own, of: paused.id)
            _ = try await host.download(#"{"url":"\#(film)"}"#)
            // One after the other: when the song has its picture, the film's turn is over.
            let id = try await host.download(#"{"url":"\#(song)"}"#).id
            _ = try await cover(of: id, client)
            #expect(try await client.cover(of: paused.id)?.bytes == own.bytes)
        }
    }
}

/// The same picture of any film.
private struct FixedFrames: FrameTaker {
    static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 7]

    func frame(of url: String, at time: Double) async throws -> Cover? {
        Cover(bytes: Self.picture, mediaType: "image/jpeg")
    }
}
