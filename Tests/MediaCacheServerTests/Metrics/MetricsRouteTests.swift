import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

struct MetricsRouteTests {
    /// Returns the samples in a text by name and labels, and checks their format (version 0.0.4).
    private func samples(_ text: String) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        var known: Set<String> = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("#") {
                let words = line.split(separator: " ", maxSplits: 3)
                try #require(words.count == 4 && (words[1] == "HELP" || words[1] == "TYPE"), "\(line)")
                if words[1] == "TYPE" {
                    // Each metric is declared once, before its samples.
                    #expect(known.insert(String(words[2])).inserted, "\(line)")
                    #expect(["counter", "gauge"].contains(words[3]))
                    #expect((words[3] == "counter") == words[2].hasSuffix("_total"), "\(line)")
                }
                continue
            }
            let parts = line.split(separator: " ")
            try #require(parts.count == 2, "\(line)")
            let name = String(parts[0].prefix { $0 != "{" })
            #expect(known.contains(name), "\(line)")
            #expect(samples.updateValue(try #require(Double(parts[1])), forKey: String(parts[0])) == nil, "\(line)")
        }
        return samples
    }

    @Test func reportsMetrics() async throws {
        let origin = ScriptedOrigin()
        let url = try ResourceURL("http://origin.example/secret-film.mp4")
        origin[url] = ScriptedResource(.random(seed: 1, length: 300_000))
        let playlist = try ResourceURL("http://origin.example/live.m3u8")
        origin[playlist] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:6\n")
        try await CacheHost.use(origin: origin) { host in
            _ = try await host.download(#"{"url":"\#(url)"}"#)
            #expect(try await host.play(url).status == 200)
            let channel = #"{"name":"news","url":"\#(playlist)","stopped":true}"#
            #expect(try await host.call("POST", "/api/v1/channels", body: channel).status == 201)
            let answer = try await host.exchange("GET", "/metrics")
            #expect(answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let text = answer.text
            #expect(!text.contains("secret-film") && !text.contains("origin.example") && !text.contains(host.key.value))
            let samples = try samples(text)
            #expect(samples["mediacache_build_info{version=\"\(CacheServer.version)\"}"] == 1)
            #expect(samples["mediacache_storing"] == 1)
            #expect(samples["mediacache_downloads{state=\"complete\"}"] == 1)
            #expect(samples["mediacache_downloads{state=\"failed\"}"] == 0)
            #expect(samples["mediacache_channels{state=\"stopped\"}"] == 1)
            #expect(samples["mediacache_channel_up{channel=\"news\"}"] == 0)
            #expect(samples["mediacache_http_responses_total{route=\"play\",code=\"2xx\"}"] == 1)
            #expect(samples["mediacache_http_body_bytes_total{route=\"play\"}"] == 300_000)
            #expect(samples["mediacache_pinned_bytes"] == 300_000)
            #expect(samples["mediacache_origin_bytes_total"] == 300_000)
            #expect((samples["process_cpu_seconds_total"] ?? 0) > 0)
            #expect((samples["process_max_fds"] ?? 0) > 0)
            #if os(Linux)
                #expect((samples["process_resident_memory_bytes"] ?? 0) > 1_000_000)
                #expect((samples["process_open_fds"] ?? 0) > 3)
            #endif
        }
    }

    @Test(arguments: [
        ("/", RouteKind.page), ("/page/main.js", .page), ("/k/abc/live/news/index.m3u8", .live),
        ("/k/abc/library/x/index.m3u8", .library), ("/live/news/index.m3u8", .live), ("/library/x/cover", .library),
        ("/k/abc", .library), ("/api/v1/usage", .api), ("/nothing", .other),
    ])
    func classifiesPaths(_ path: String, _ kind: RouteKind) {
        #expect(RouteKind(path: path) == kind)
    }
}
