import MediaCacheAPI
import Testing

@testable import MediaCacheServer

/// Tests of numbers that are out of bounds or could overflow, and of empty titles.
struct BoundsTests {
    @Test(arguments: [
        ("PUT", "settings/downloads", #"{"limits": {"transfersPerAsset": 9223372036854775806}}"#),
        ("PATCH", "settings/downloads", #"{"limits": {"assets": 0}}"#),
        ("PATCH", "settings/downloads", #"{"bandwidth": -1}"#),
        ("PATCH", "settings/cache", #"{"limits": {"maximumBytes": -1}}"#),
        ("PATCH", "settings/cache", #"{"limits": {"maximumAge": 1e300}}"#),
        ("PATCH", "settings/cache", #"{"transfers": {"stallTimeout": 0}}"#),
        ("PATCH", "settings/cache", #"{"transfers": {"retries": 101}}"#),
        ("PATCH", "settings/cache", #"{"transfers": {"readAhead": 1}}"#),
        ("PATCH", "settings/cache", #"{"bandwidth": {"recording": 9223372036854775807}}"#),
        ("PATCH", "settings/downloads", #"{"policy": {"freeSpaceReserve": 9223372036854775807}}"#),
        ("POST", "downloads", #"{"url": "http://origin.example/a.mp3", "priority": -9223372036854775808}"#),
        ("POST", "downloads", #"{"url": "http://origin.example/a.mp3", "seconds": -1}"#),
        ("POST", "downloads", #"{"url": "http://origin.example/a.mp3", "seconds": 1e300}"#),
        ("POST", "downloads", #"{"url": "http://origin.example/a.mp3", "title": ""}"#),
        ("PATCH", "assets/aaaaaaaaaaaa", #"{"title": ""}"#),
        ("POST", "channels", #"{"name": "a", "url": "http://origin.example/a.m3u8", "retention": {"seconds": 1e300}}"#),
        ("POST", "channels", #"{"name": "a", "url": "http://origin.example/a.m3u8", "retention": {"bytes": 0}}"#),
        ("POST", "channels", #"{"name": "a", "url": "http://origin.example/a.m3u8", "retention": {"segments": -1}}"#),
    ])
    func refusesValuesOutsideBounds(_ method: String, _ path: String, _ body: String) async throws {
        try await CacheHost.use { host in
            let answer = try await host.call(method, "/api/v1/\(path)", body: body)
            #expect(answer.status == 400 && answer.fields["content-type"] == Problem.contentType)
            #expect(try await host.call("GET", "/api/v1/server").status == 200)
        }
    }
}
