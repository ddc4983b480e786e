import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaContainers
import MediaLibrary
import Synchronization
import TestSupport
import Testing

@testable import MediaCacheServer

/// Tests of assets in the API and of their library paths for players and pages.
struct LibraryRouteTests {
    private let origin = ScriptedOrigin()
    private let url: ResourceURL
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47] + (0..<96).map { UInt8($0) }

    init() throws {
        url = try ResourceURL("http://origin.example/clip.mp4")
        origin[url] = ScriptedResource(.random(seed: 3, length: 5000), contentType: "video/mp4")
    }

    private func withHost(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (CacheHost) async throws -> Void
    ) async throws {
        try await CacheHost.use(origin: origin, change, body)
    }

    /// Plays a URL and adds it as an asset.
    private func asset(of url: ResourceURL, _ host: CacheHost) async throws -> AssetRecord {
        #expect(try await host.play(url).status == 200)
        let made = try await host.call("POST", "/api/v1/assets", body: #"{"url":"\#(url)"}"#)
        #expect(made.status == 201)
        return try made.decoded(AssetRecord.self)
    }

    private func path(_ asset: AssetRecord, _ name: String) -> String { "/library/\(asset.id)/\(name)" }

    @Test func setsReadsReplacesAndRemovesCovers() async throws {
        try await withHost { host in
            let asset = try await asset(of: url, host)
            let cover = "/api/v1/assets/\(asset.id)/cover"
            #expect(try await host.call("GET", cover).status == 404)
            #expect(try await host.exchange("GET", path(asset, "cover")).status == 404)
            let client = try host.client()
            let record = try await client.setCover(Cover(bytes: Self.png, mediaType: "image/png"), of: asset.id)
            #expect(record.cover?.mediaType == "image/png")
            #expect(try await client.cover(of: asset.id) == Cover(bytes: Self.png, mediaType: "image/png"))
            #expect(try await client.usage().covers == CoverUsage(covers: 1, bytes: 100))

            let read = try await host.exchange("GET", path(asset, "cover"))
            #expect(read.status == 200 && read.body == Self.png)
            #expect(read.fields["content-type"] == "image/png")
            let tag = try #require(read.fields["etag"])
            #expect(try await host.exchange("GET", path(asset, "cover"), ["If-None-Match: \(tag)"]).status == 304)
            let part = try await host.exchange("GET", path(asset, "cover"), ["Range: bytes=-10"])
            #expect(part.status == 206 && part.body == Array(Self.png.suffix(10)))

            let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF] + Self.png
            try await client.setCover(Cover(bytes: jpeg, mediaType: "image/jpeg"), of: asset.id)
            #expect(try await host.exchange("GET", path(asset, "cover")).body == jpeg)
            try await client.removeCover(of: asset.id)
            #expect(try await host.exchange("GET", path(asset, "cover")).status == 404)
            try await client.setCover(Cover(bytes: jpeg, mediaType: "image/jpeg"), of: asset.id)
            #expect(try await client.removeCovers() == CoverUsage(covers: 1, bytes: 103))
            #expect(try await client.usage().covers.covers == 0)
        }
    }

    @Test func acceptsPicturesOnlyAsCovers() async throws {
        try await withHost({ $0.limits.maximumImageBytes = 2 << 20 }) { host in
            let asset = try await asset(of: url, host)
            let cover = "/api/v1/assets/\(asset.id)/cover"
            for text in ["<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", "<html>", ""] {
                #expect(try await host.call("PUT", cover, body: text).status == 415, "\(text)")
            }
            // Refused because of the announced length, before the body arrives.
            let bearer = "Authorization: Bearer \(host.key.value)"
            #expect(try await host.exchange("PUT", cover, [bearer, "Content-Length: \((2 << 20) + 1)"]).status == 413)
            // Without the key, the request is refused whatever its length is.
            #expect(try await host.exchange("PUT", cover, ["Content-Length: \((1 << 20) + 1)"]).status == 401)
            #expect(try await host.exchange("PUT", cover, ["Content-Length: 1"], "x").status == 401)
        }
    }

    @Test func listsFindsAndRemovesAssets() async throws {
        try await withHost { host in
            #expect(try await host.call("POST", "/api/v1/assets", body: #"{"url":"\#(url)"}"#).status == 404)
            let asset = try await asset(of: url, host)
            #expect(asset.libraryURL == "\(try #require(host.server.boundAddresses.first))/library/\(asset.id)/")
            #expect(try await host.call("POST", "/api/v1/assets", body: #"{"url":"\#(url)"}"#).status == 200)
            #expect(try await host.answer("GET", "/api/v1/assets", as: AssetList.self).assets == [asset])
            #expect(try await host.call("GET", "/api/v1/assets/\(asset.id)").status == 200)
            #expect(try await host.call("GET", "/api/v1/assets/aaaaaaaaaaaa").status == 404)
            #expect(try await host.call("GET", "/api/v1/assets/..%2f..").status == 404)
            #expect(try await host.exchange("GET", "/api/v1/assets").status == 401)
            // A removed resource is no longer an asset.
            let number = try await host.store.resource(for: url)?.id ?? 0
            #expect(try await host.call("DELETE", "/api/v1/resources/\(number)").status == 200)
            #expect(try await host.call("GET", "/api/v1/assets/\(asset.id)").status == 404)
        }
    }

    @Test func limitsLibraryToLocalClientsAndTokens() async throws {
        try await withHost { host in
            let asset = try await asset(of: url, host)
            let client = try host.client()
            try await client.setCover(Cover(bytes: Self.png, mediaType: "image/png"), of: asset.id)
            let open = try await host.exchange("GET", path(asset, "cover"))
            #expect(open.fields["access-control-allow-origin"] == nil)
            #expect(open.fields["cross-origin-resource-policy"] == "same-origin")
            let keyed = try await host.exchange("GET", "/k/\(host.server.playbackToken)\(path(asset, "cover"))")
            #expect(keyed.body == Self.png && keyed.fields["access-control-allow-origin"] == "*")
            #expect(keyed.fields["cross-origin-resource-policy"] == "cross-origin")
            let missing = try await host.exchange("GET", path(asset, "nothing"))
            #expect(missing.status == 404 && missing.fields["cross-origin-resource-policy"] == "same-origin")
            let wrong = try await host.exchange("GET", "/k/wrong\(path(asset, "cover"))")
            #expect(wrong.status == 403 && wrong.fields["x-content-type-options"] == "nosniff")
            #expect(wrong.fields["access-control-allow-origin"] == nil)
            let bad = try await host.exchange("GET", "/k/\(host.server.playbackToken)\(path(asset, "frame.jpg?t=x"))")
            #expect(bad.fields["access-control-allow-origin"] == "*")
            #expect(try await host.exchange("GET", "/k/\(host.server.playbackToken)/api/v1/assets").status == 404)
            #expect(try await host.exchange("DELETE", path(asset, "cover")).status == 405)
        }
        for isOpen in [false, true] {
            try await withHost {
                $0.allowedHosts = ["tv.example"]
                $0.publicRead = isOpen
            } _: { host in
                let asset = try await asset(of: url, host)
                // A reverse proxy forwards the host that its client requested.
                let address = try #require(host.server.boundAddresses.first)
                let text = "GET \(path(asset, "cover")) HTTP/1.1\r\nHost: tv.example\r\nConnection: close\r\n\r\n"
                let status = try await LoopbackClient.exchange(address, text)?.status
                #expect(status == (isOpen ? 404 : 403))
            }
        }
    }

    @Test func extractsFramesWithDecoder() async throws {
        let frames = ScriptedFrames()
        try await withHost({ $0.frames = frames }) { host in
            let asset = try await asset(of: url, host)
            let frame = try await host.exchange("GET", path(asset, "frame.jpg?t=2.5"))
            #expect(frame.status == 200 && frame.body == [0xFF, 0xD8, 0xFF, 25])
            #expect(frame.fields["content-type"] == "image/jpeg")
            #expect(try await host.exchange("GET", path(asset, "frame.jpg?t=99")).status == 404)
            for text in ["-1", "nan", "inf", "soon"] {
                #expect(try await host.exchange("GET", path(asset, "frame.jpg?t=\(text)")).status == 400, "\(text)")
            }
            #expect(try await host.exchange("GET", path(asset, "frame.png")).status == 404)
            // Without a time, the first frame is extracted if the video is too short.
            #expect(try await host.exchange("GET", path(asset, "frame.jpg")).body == [0xFF, 0xD8, 0xFF, 0])
            let before = frames.count
            let parts = try await host.exchange("GET", path(asset, "frame.jpg?t=1"), ["Range: bytes=0-0,2-2,3-3"])
            #expect(parts.status == 200)
            #expect(frames.count == before + 1)
        }
        try await withHost { host in
            let asset = try await asset(of: url, host)
            #expect(try await host.exchange("GET", path(asset, "frame.jpg?t=2.5")).status == 501)
        }
    }

    /// If a resource without a strong validator was removed and refetched, it is another version, which isn't an error.
    @Test(.enabled(if: try Prerequisite.hasCorpora())) func rereadsRefetchedFile() async throws {
        let file = try Corpus.data("androidx-media/media/mp4/sample.mp4")
        origin[url] = ScriptedResource(
            .bytes(Array(file)), lastModified: "Sat, 21 Nov 2026 10:00:00 GMT", contentType: "video/quicktime")
        try await withHost { host in
            let first = try await asset(of: url, host)
            let whole = try await host.exchange("GET", path(first, "media.mp4"))
            #expect(whole.status == 200 && whole.fields["content-type"] == "video/mp4")
            let number = try await host.store.resource(for: url)?.id ?? 0
            #expect(try await host.call("DELETE", "/api/v1/resources/\(number)").status == 200)
            let second = try await asset(of: url, host)
            #expect(second.id != first.id)
            var answers: [[UInt8]] = []
            // The first request may find that the cached movie is outdated.
            for _ in 0..<2 { answers.append(try await host.exchange("GET", path(second, "media.mp4")).body) }
            #expect(answers.last == whole.body)
        }
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func servesFileAsMP4() async throws {
        let name = "androidx-media/media/mp4/sample.mp4"
        let file = try Corpus.data(name)
        origin[url] = ScriptedResource(.bytes(Array(file)), contentType: "video/mp4")
        try await withHost { host in
            let asset = try await asset(of: url, host)
            origin.isReachable = false
            let whole = try await host.exchange("GET", path(asset, "media.mp4"))
            #expect(whole.status == 200 && whole.fields["content-type"] == "video/mp4")
            let movie = try MP4Reader(MemorySource(whole.body)).movie
            let source = try MP4Reader(MemorySource(Array(file))).movie
            #expect(movie.tracks.map(\.media.kind) == source.tracks.map(\.media.kind))
            #expect(try BoxTree.types(whole.body).prefix(2) == ["ftyp", "moov"])
            let middle = whole.body.count / 2
            let part = try await host.exchange(
                "GET", path(asset, "media.mp4"), ["Range: bytes=\(middle)-\(middle + 999)"])
            #expect(part.status == 206 && part.body == Array(whole.body[middle..<middle + 1000]))
            #expect(part.fields["etag"] == whole.fields["etag"])
        }
    }

    /// The origin didn't fail, so the status isn't 502.
    @Test func refusesToConvertOtherFormat() async throws {
        let film = try ResourceURL("http://origin.example/film.mkv")
        let matroska: [UInt8] = [0x1A, 0x45, 0xDF, 0xA3] + [UInt8](repeating: 0, count: 4996)
        origin[film] = ScriptedResource(.bytes(matroska), contentType: "video/x-matroska")
        try await withHost { host in
            let asset = try await asset(of: film, host)
            let answer = try await host.exchange("GET", path(asset, "media.mp4"))
            #expect(answer.status == 422)
            let problem = try answer.decoded(Problem.self)
            #expect(problem.code == "notConvertible" && problem.detail.contains("can't be converted to MP4"))
        }
    }

    @Test func reportsIncompleteMovie() async throws {
        origin[url] = ScriptedResource(.random(seed: 3, length: 50 << 20), contentType: "video/mp4")
        try await withHost { host in
            #expect(try await host.play(url, "GET", "Range: bytes=0-99").status == 206)
            let asset: AssetRecord = try await host.answer("POST", "/api/v1/assets", body: #"{"url":"\#(url)"}"#)
            let answer = try await host.exchange("GET", path(asset, "media.mp4"))
            #expect(answer.status == 404 && answer.text.contains("of 52428800 bytes"))
        }
    }
}

/// An extractor that returns pictures for the first ten seconds of any video.
private final class ScriptedFrames: FrameExtractor {
    private let extractions = Atomic(0)

    var count: Int { extractions.load(ordering: .relaxed) }

    func frame(of url: String, at time: Double) async throws -> Cover? {
        extractions.add(1, ordering: .relaxed)
        guard url.contains(";cached=1"), time < 10 else { return nil }
        return Cover(bytes: [0xFF, 0xD8, 0xFF, UInt8(time * 10)], mediaType: "image/jpeg")
    }
}

/// The top-level boxes of a file.
private enum BoxTree {
    static func types(_ bytes: [UInt8]) throws -> [String] {
        var types: [String] = []
        var offset = 0
        while offset + 8 <= bytes.count {
            let size = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            types.append(String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self))
            guard size >= 8 else { break }
            offset += size
        }
        return types
    }
}
