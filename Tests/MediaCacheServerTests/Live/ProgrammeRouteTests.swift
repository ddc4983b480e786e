import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import TestSupport
import Testing

@testable import MediaCacheServer

/// Tests of programme exports: the API and the permanent links.
@Suite(.enabled(if: try Prerequisite.hasCorpora()), .timeLimit(.minutes(30)))
struct ProgrammeRouteTests {
    private let origin = ScriptedOrigin()
    private let base = "http://origin.example/live/"
    /// The start of the first segment, in milliseconds since 1970.
    private let start: Int64 = 1_790_000_000_000
    private let programmes = "/api/v1/channels/one/programmes"

    /// Serves four segments of 9 s with the same clip. The third is a gap.
    private func serve(_ clip: [UInt8]) throws {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXT-X-MEDIA-SEQUENCE:40\n"
        text += "#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:20.000Z\n"
        for number in 0..<4 {
            if number == 2 { text += "#EXT-X-GAP\n" }
            text += "#EXT-X-DISCONTINUITY\n#EXTINF:9,\n\(number).ts\n"
            origin[try ResourceURL(base + "\(number).ts")] = ScriptedResource(
                .bytes(clip), entityTag: "\"1\"", contentType: "video/mp2t")
        }
        origin[try ResourceURL(base + "index.m3u8")] = .playlist(text)
    }

    /// Runs `body` with a complete recording and a client.
    private func withHost(_ body: (CacheHost, APIClient) async throws -> Void) async throws {
        let clip = try Corpus.data("videojs-mux.js/segments/test-segment.ts")
        try serve(Array(clip))
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            let channel = #"{"name":"one","url":"\#(base)index.m3u8"}"#
            #expect(try await host.call("POST", "/api/v1/channels", body: channel).status == 201)
            try await reached(client) { $0.segments == 3 }
            try await body(host, client)
        }
    }

    private func reached(_ client: APIClient, _ condition: (ChannelRecord) -> Bool) async throws {
        let name = try #require(ChannelName(rawValue: "one"))
        while try await !condition(client.channel(name)) { try Task.checkCancellation() }
    }

    private func path(_ url: String) throws -> String { try #require(URL(string: url)).path }

    private func problem(_ response: RawResponse) throws -> Problem {
        #expect(response.fields["content-type"] == Problem.contentType)
        return try response.decoded(Problem.self)
    }

    @Test func keepsLinksOfFinishedProgramme() async throws {
        try await withHost { host, client in
            let body = #"""
                {"name": "news", "from": "\#(start + 4000)", "to": "\#(start + 30_000)", "formats": ["hls", "mp4"]}
                """#
            let made: ProgrammeRecord = try await host.answer("POST", programmes, body: body)
            #expect(made.exports.map(\.format) == ["hls", "mp4"])
            let links = try made.exports.map { try path($0.url) }
            #expect(
                links == [
                    "/live/one/programmes/\(made.id)/index.m3u8", "/live/one/programmes/\(made.id).mp4",
                ])
            try await reached(client) { $0.programmes[0].exports.allSatisfy { $0.state == .done } }
            let programme: ProgrammeRecord = try await host.answer("GET", "\(programmes)/\(made.id)")
            #expect(programme.exports.allSatisfy { $0.progress == 1 && $0.missing == 1 && $0.reason == nil })

            let whole = try await host.exchange("GET", links[1])
            #expect(whole.status == 200 && whole.fields["content-type"] == "video/mp4")
            #expect(Int64(whole.body.count) == programme.exports[1].bytes)
            #expect(whole.body.dropFirst(4).prefix(4).elementsEqual("ftyp".utf8))
            let tag = try #require(whole.fields["etag"])
            let part = try await host.exchange("GET", links[1], ["Range: bytes=-500", "If-Range: \(tag)"])
            #expect(part.status == 206 && part.body == Array(whole.body.suffix(500)))
            let head = try await host.exchange("HEAD", links[1])
            #expect(head.status == 200 && head.fields["content-length"] == "\(whole.body.count)")
            #expect(try await host.exchange("GET", links[1], ["If-None-Match: \(tag)"]).status == 304)
            #expect(try await host.exchange("GET", links[1], ["Range: bytes=\(whole.body.count)-"]).status == 416)

            let entry = try await host.exchange("GET", links[0]).text
            let child = try #require(entry.split(separator: "\n").last)
            #expect(child.hasPrefix("../../media-1/span-"))
            let window = try await host.exchange("GET", "/live/one/\(child.dropFirst(6))")
            #expect(window.text.hasSuffix("#EXT-X-ENDLIST\n"))

            #expect(try await host.call("DELETE", "\(programmes)/\(made.id)/exports/mp4").status == 204)
            #expect(try await host.exchange("GET", links[1]).status == 404)
            #expect(try await host.call("DELETE", "\(programmes)/\(made.id)").status == 204)
            #expect(try await host.exchange("GET", links[0]).status == 404)
        }
    }

    @Test func listsGapsOfWindowMovie() async throws {
        try await withHost { host, _ in
            let path = "/live/one/\(start)-\(start + 36_000).mp4"
            #expect(try await host.exchange("GET", path).status == 404)
            for method in ["HEAD", "GET"] {
                let film = try await host.exchange(method, path + "?gaps=1")
                #expect(film.status == 200 && film.fields["mediacache-gap-count"] == "1")
                #expect(film.fields["mediacache-gaps"] == "lost;start=18.000;duration=9.000")
            }
            let whole = try await host.exchange("GET", "/live/one/\(start)-\(start + 18_000).mp4")
            #expect(whole.status == 200 && whole.fields["mediacache-gaps"] == nil)
        }
    }

    /// The window begins before the recording.
    @Test func reportsStartOfWindowMovie() async throws {
        try await withHost { host, _ in
            let window = "/live/one/\(start - 60_000)-\(start + 18_000)"
            let film = try await host.exchange("HEAD", window + ".mp4?gaps=1")
            let playlist = try await host.exchange(
                "GET", "/live/one/index.m3u8?from=\(start - 60_000)&to=\(start + 18_000)")
            #expect(film.status == 200 && playlist.status == 200)
            let begins = try #require(playlist.fields["mediacache-window-start"])
            #expect(film.fields["mediacache-window-start"] == begins)
        }
    }

    @Test func explainsUnavailableExports() async throws {
        try await withHost { host, client in
            let body = #"""
                {"name": "later", "from": "\#(start)", "to": "\#(start + 100_000)", "formats": ["mp4"]}
                """#
            let later: ProgrammeRecord = try await host.answer("POST", programmes, body: body)
            let link = "/live/one/programmes/\(later.id)"
            #expect(try problem(try await host.exchange("GET", link + ".mp4")).detail.contains("export is waiting"))
            let unrequested = try problem(try await host.exchange("GET", link + ".3gp"))
            #expect(
                unrequested.status == 404 && unrequested.detail.contains("POST \(programmes)/\(later.id)/exports/3gp"))
            #expect(try await host.call("DELETE", "\(programmes)/\(later.id)/exports/mp4").status == 204)
            #expect(try problem(try await host.exchange("GET", link + ".mp4")).detail.contains("export was cancelled"))

            // The server has no encoder.
            let past = #"{"name": "past", "from": "\#(start)", "to": "\#(start + 20_000)"}"#
            let made: ProgrammeRecord = try await host.answer("POST", programmes, body: past)
            #expect(made.exports.isEmpty)
            let exports = "\(programmes)/\(made.id)/exports"
            #expect(try await host.call("POST", "\(exports)/3gp").status == 201)
            try await reached(client) { $0.programmes[1].exports.allSatisfy { $0.state == .failed } }
            let failed = try problem(try await host.exchange("GET", "/live/one/programmes/\(made.id).3gp"))
            #expect(failed.status == 404 && failed.detail.contains("export failed: there is no encoder for 3GP"))
            #expect(try await host.call("POST", "\(exports)/3gp").status == 200)

            #expect(try await host.call("POST", "\(exports)/avi").status == 400)
            #expect(try await host.call("GET", "\(exports)/3gp").status == 405)
            #expect(try await host.call("POST", "\(programmes)/other/exports/mp4").status == 404)
            #expect(try await host.call("DELETE", "\(exports)/mp4").status == 404)
            let wrong = #"{"name": "x", "from": "1", "to": "2", "formats": ["mkv"]}"#
            #expect(try await host.call("POST", programmes, body: wrong).status == 400)
            for file in ["x.mp4", "\(made.id).avi", "\(made.id)/other.m3u8", "..%2F..%2Fkey", ""] {
                #expect(try await host.exchange("GET", "/live/one/programmes/\(file)").status == 404, "\(file)")
            }
        }
    }
}
