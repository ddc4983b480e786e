import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of the metadata of assets in the API.
@Suite(.timeLimit(.minutes(30)))
struct AssetMetadataTests {
    private let origin = ScriptedOrigin()

    private func serve(_ name: String, _ texts: [(String, String)]) throws -> ResourceURL {
        let frames: [UInt8] = texts.flatMap { id, text -> [UInt8] in
            Array(id.utf8) + [0, 0, 0, UInt8(text.utf8.count + 1), 0, 0, 0] + Array(text.utf8)
        }
        let length = [UInt8(frames.count >> 7), UInt8(frames.count & 127)]
        let tag: [UInt8] = Array("ID3".utf8) + [3, 0, 0, 0, 0] + length + frames
        let url = try ResourceURL("http://origin.example/\(name)")
        origin[url] = ScriptedResource(
            .bytes(tag + [UInt8](repeating: 0x55, count: 2_000)), entityTag: "\"1\"", contentType: "audio/mpeg")
        return url
    }

    private func asset(_ id: String, of host: CacheHost) async throws -> (record: AssetRecord, json: String) {
        let response = try await host.call("GET", "/api/v1/assets/\(id)")
        return (try response.decoded(AssetRecord.self), response.text)
    }

    @Test func reportsMetadataOfDownload() async throws {
        let url = try serve(
            "01.mp3", [("TIT2", "Song"), ("TPE1", "Anna"), ("TALB", "North"), ("TRCK", "3/12"), ("TYER", "1998")])
        try await CacheHost.use(origin: origin) { host in
            let id = try await host.download(#"{"url":"\#(url)"}"#).id
            let (record, json) = try await asset(id, of: host)
            #expect(record.title == "Song" && record.artist == "Anna" && record.album == "North")
            #expect(record.track == 3 && record.trackCount == 12 && record.year == 1998)
            for key in ["albumArtist", "disc", "genre", "description", "show", "season"] {
                #expect(!json.contains("\"\(key)\""), "\(key) has no value")
            }
            let item = try #require(try await host.client().libraryItems().first)
            #expect(item.title == "Song" && item.artist == "Anna" && item.album == "North")
            _ = try await host.call("PATCH", "/api/v1/assets/\(id)", body: #"{"title":"Mine"}"#)
            _ = try await host.download(#"{"url":"\#(url)"}"#)
            #expect(try await asset(id, of: host).record.title == "Mine")
        }
    }

    /// A file that was played becomes an asset with the metadata of its cached bytes.
    @Test func readsMetadataOfAddedFile() async throws {
        let url = try serve("01.mp3", [("TIT2", "Song"), ("TPE1", "Anna")])
        try await CacheHost.use(origin: origin) { host in
            #expect(try await host.play(url).status == 200)
            let added = try #require(try await host.client().addAsset(for: url))
            #expect(added.title == "Song" && added.artist == "Anna")
            #expect(origin.requests(for: url).count == 1)
        }
    }

    /// The rest of a file is received after it became an asset.
    @Test func readsMetadataWhenFileBecomesComplete() async throws {
        let url = try serve("01.mp3", [("TIT2", "Song"), ("TPE1", "Anna")])
        try await CacheHost.use(origin: origin, { $0.runsDownloads = false }) { host in
            #expect(try await host.play(url, "GET", "Range: bytes=0-99").status == 206)
            let client = try host.client()
            let added = try #require(try await client.addAsset(for: url))
            #expect(try await host.play(url).status == 200)
            while try await client.asset(for: url)?.artist == nil { await Task.yield() }
            #expect(try await client.asset(for: url)?.title == "Song")
            #expect(added.id == (try await client.asset(for: url)?.id))
        }
    }
}
