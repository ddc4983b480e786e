import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

struct ProbeRouteTests {
    private let origin = ScriptedOrigin()
    private let entry: ResourceURL

    init() throws {
        entry = try ResourceURL("http://origin.example/show/index.m3u8")
        origin[entry] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
    }

    @Test func reportsProbeAndAsset() async throws {
        try await CacheHost.use(origin: origin) { host in
            let body = #"{"url":" \#(entry)\n"}"#
            let probe: ProbeRecord = try await host.answer("POST", "/api/v1/probe", body: body)
            #expect(probe.probe.kind == .stream && probe.probe.duration == 4)
            #expect(probe.title == "show" && probe.asset == nil)
            let download: DownloadRecord = try await host.answer(
                "POST", "/api/v1/downloads", body: #"{"url":"\#(entry)","title":"A show","paused":true}"#)
            let again: ProbeRecord = try await host.answer("POST", "/api/v1/probe", body: body)
            #expect(again.asset == download.id && again.title == "A show")
        }
    }

    @Test func sendsHeaderFieldsToOriginAndHidesUser() async throws {
        try await CacheHost.use(origin: origin) { host in
            let body = #"{"url":"http://ann:secret@origin.example/show/index.m3u8","headers":{"X-Token":"t"}}"#
            let answer = try await host.call("POST", "/api/v1/probe", body: body)
            #expect(answer.status == 200 && !answer.text.contains("secret"))
            let sentFields = try #require(origin.requests.last?.headerFields)
            #expect(sentFields[HTTPField.Name("X-Token")!] == "t")
            #expect(sentFields[.authorization]?.hasPrefix("Basic ") == true)
        }
    }

    @Test(arguments: [
        (#"{"url":"ftp://origin.example/x"}"#, 400, "ftp"),
        (#"{"url":"http://origin.example/none.m3u8"}"#, 404, "404"),
        (#"{"url":"http://origin.example/show/index.m3u8","headers":{"no good":"x"}}"#, 400, "no good"),
        (#"{}"#, 400, "url"),
    ])
    func reportsInvalidRequests(_ body: String, _ status: Int, _ word: String) async throws {
        try await CacheHost.use(origin: origin) { host in
            let answer = try await host.call("POST", "/api/v1/probe", body: body)
            #expect(answer.status == status)
            #expect(answer.fields["content-type"] == "application/problem+json")
            let text = answer.text
            #expect(text.contains(word), "\(text)")
        }
    }
}
