import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of `/api/v1/downloads`, assets and settings with a real store.
struct DownloadsRouteTests {
    private let origin = ScriptedOrigin()
    private let film: ResourceURL
    private let stream: ResourceURL
    private let folder = TestFolder()
    private static let length: Int64 = 300_000

    init() throws {
        film = try ResourceURL("http://origin.example/films/a%20film.mp4")
        stream = try ResourceURL("http://origin.example/show/index.m3u8")
        origin[film] = ScriptedResource(.random(seed: 3, length: Self.length))
        let playlist =
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXTINF:4,\nb.ts\n#EXTINF:2,\nc.ts\n#EXT-X-ENDLIST\n"
        origin[stream] = .playlist(playlist)
        for name in ["a", "b", "c"] {
            let packet = [0x47, 0x1F, 0xFF, 0x10] + [UInt8](repeating: 0xFF, count: 184)
            origin[try ResourceURL("http://origin.example/show/\(name).ts")] = ScriptedResource(
                .bytes((0..<100).flatMap { _ in packet }), contentType: "video/mp2t")
        }
    }

    private func withHost(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (CacheHost) async throws -> Void
    ) async throws {
        try await CacheHost.use(folder: folder.path, origin: origin, change, body)
    }

    private func paused(_ url: ResourceURL, _ host: CacheHost) async throws -> DownloadRecord {
        try await host.answer("POST", "/api/v1/downloads", body: #"{"url":"\#(url)","paused":true}"#)
    }

    @Test func reportsCoverAndPlaysOfDownload() async throws {
        try await withHost { host in
            let id = try await host.download(#"{"url":"\#(film)"}"#).id
            // The beginning of a GIF, which is valid text and can therefore be sent as a body.
            let set: AssetRecord = try await host.answer("PUT", "/api/v1/assets/\(id)/cover", body: "GIF89a picture")
            #expect(set.cover?.mediaType == "image/gif")
            #expect(try await host.exchange("GET", "/library/\(id)/file.mp4").status == 200)
            // The play is recorded asynchronously.
            var one = set
            while one.plays == 0 { one = try await host.answer("GET", "/api/v1/assets/\(id)") }
            #expect(one.cover == set.cover && one.plays == 1 && one.state == .complete)
            let list: AssetList = try await host.answer("GET", "/api/v1/assets")
            #expect(list.assets.first?.cover == set.cover && list.assets.first?.plays == 1)
            let bare: AssetRecord = try await host.answer("DELETE", "/api/v1/assets/\(id)/cover")
            #expect(bare.cover == nil)
        }
    }

    @Test func completesFile() async throws {
        try await withHost { host in
            let record = try await host.download(#"{"url":"\#(film)"}"#)
            #expect(record.state == .complete && record.kind == .file)
            #expect(record.bytes == Self.length && record.length == Self.length && record.isLengthExact)
            #expect(record.title == "a film" && record.holes == [])
            let stored: ResourceRecord = try await host.answer(
                "GET", "/api/v1/resources?file=true&url=\(APIClient.escape(film.description))")
            #expect(stored.complete && stored.pinned)
            let earlier = origin.bodyBytes
            #expect(try await host.download(#"{"url":"\#(film)"}"#).id == record.id)
            #expect(origin.bodyBytes == earlier)
        }
    }

    @Test func listsMissingSegment() async throws {
        origin[try ResourceURL("http://origin.example/show/b.ts")] = nil
        try await withHost { host in
            let record = try await host.download(#"{"url":"\#(stream)","title":"A show"}"#)
            #expect(record.state == .completeWithHoles && record.kind == .stream)
            #expect(record.title == "A show" && record.duration == 10)
            #expect(record.partsDone == 2 && record.parts == 3)
            let hole = try #require(record.holes?.first)
            #expect(hole.url.hasSuffix("/show/b.ts") && hole.start == 4 && hole.duration == 4)
            #expect(hole.reason.contains("404"))
            let list: DownloadList = try await host.answer("GET", "/api/v1/downloads")
            #expect(list.downloads.map(\.holeCount) == [1] && list.downloads.allSatisfy { $0.holes == nil })
        }
    }

    @Test func returnsRecordOfAddedDownload() async throws {
        try await withHost { host in
            let selection = #""variant":"720","audio":"de,en","subtitles":"none""#
            let body = #"{"url":"\#(film)","paused":true,"priority":3,\#(selection)}"#
            let made = try await host.call("POST", "/api/v1/downloads", body: body)
            #expect(made.status == 201)
            let record = try made.decoded(DownloadRecord.self)
            #expect(record.state == .paused && record.priority == 3)
            #expect(record.variant == "720" && record.audio == "de,en" && record.subtitles == "none")
            #expect(try await host.call("POST", "/api/v1/downloads", body: body).status == 200)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(arguments: [
        "{}", #"{"url":"ftp://x/"}"#, #"{"url":"http://h/a","variant":"large"}"#,
        #"{"url":"http://h/a","audio":"a b!"}"#,
        #"{"url":"http://h/a","headers":{"no name":"x"}}"#, #"{"url":"http://h/a","headers":{"X":"a\nb"}}"#,
    ])
    func refusesInvalidAdditions(body: String) async throws {
        try await withHost { host in
            #expect(try await host.call("POST", "/api/v1/downloads", body: body).status == 400)
            let list: DownloadList = try await host.answer("GET", "/api/v1/downloads")
            #expect(list.downloads.isEmpty)
        }
    }

    @Test func sendsHeaderFieldsWithoutReportingThem() async throws {
        try await withHost { host in
            let body = #"{"url":"\#(film)","headers":{"X-Token":"hush-hush"}}"#
            let record = try await host.download(body)
            #expect(record.headerNames == ["X-Token"])
            let name = try #require(HTTPField.Name("X-Token"))
            #expect(origin.requests.allSatisfy { $0.headerFields[name] == "hush-hush" })
            for path in ["/api/v1/downloads", "/api/v1/downloads/\(record.id)", "/api/v1/assets"] {
                let text = try await host.call("GET", path).text
                #expect(!text.contains("hush-hush") && !text.contains(host.key.value), "\(path)")
            }
        }
    }

    @Test(.timeLimit(.minutes(30))) func pausesAndResumesTransfer() async throws {
        let gate = ScriptedGate()
        origin.next(film, .holdBody(at: 100_000, gate))
        try await withHost { host in
            let added: DownloadRecord = try await host.answer("POST", "/api/v1/downloads", body: #"{"url":"\#(film)"}"#)
            let one = "/api/v1/downloads/\(added.id)"
            await gate.waitForArrivals()
            let paused: DownloadRecord = try await host.answer("PATCH", one, body: #"{"state":"paused"}"#)
            #expect(paused.state == .paused)
            let raised: DownloadRecord = try await host.answer("PATCH", one, body: #"{"priority":7}"#)
            #expect(raised.state == .paused && raised.priority == 7)
            var resumed: DownloadRecord = try await host.answer("PATCH", one, body: #"{"state":"running"}"#)
            while !resumed.state.isEnded { resumed = try await host.answer("GET", "\(one)?wait=10000") }
            #expect(resumed.state == .complete && resumed.bytes == Self.length)
        }
    }

    @Test func pausesAndResumesAllDownloads() async throws {
        try await withHost { host in
            _ = try await paused(film, host)
            _ = try await paused(stream, host)
            let resumed: DownloadList = try await host.answer("POST", "/api/v1/downloads/resume")
            #expect(resumed.downloads.count == 2 && resumed.downloads.allSatisfy { $0.state != .paused })
            for record in resumed.downloads {
                #expect(try await host.download(#"{"url":"\#(record.url)"}"#).state == .complete)
            }
            let paused: DownloadList = try await host.answer("POST", "/api/v1/downloads/pause")
            #expect(paused.downloads.allSatisfy { $0.state == .complete })
        }
    }

    @Test(arguments: [false, true])
    func cancelsWithAndWithoutData(keeps: Bool) async throws {
        try await withHost { host in
            let record = try await host.download(#"{"url":"\#(film)"}"#)
            let one = "/api/v1/downloads/\(record.id)"
            #expect(try await host.call("DELETE", "\(one)?keepData=\(keeps ? 1 : 0)").status == 204)
            #expect(try await host.call("GET", one).status == 404)
            #expect(try await host.call("DELETE", one).status == 404)
            let stored: ResourceList = try await host.answer("GET", "/api/v1/resources")
            #expect(stored.resources.map(\.complete) == (keeps ? [true] : []))
            #expect(stored.resources.allSatisfy { !$0.pinned })
        }
    }

    /// The clock doesn't advance, so a wait would never end.
    @Test(.timeLimit(.minutes(30))) func returnsEndedDownloadWithoutWaiting() async throws {
        var id = ""
        try await withHost { host in id = try await host.download(#"{"url":"\#(film)"}"#).id }
        let store = try await CacheStore.open(
            CacheConfiguration(location: CacheLocation(folder: folder.path)), origin: origin, time: ManualTime(),
            logger: .silent)
        let server = CacheServer(
            store: store, key: AccessKey(), configuration: ServerConfiguration(port: 0, logger: .silent))
        try await server.start()
        let text =
            "GET /api/v1/downloads/\(id)?wait=10000 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Authorization: Bearer \(server.key.value)\r\n\r\n"
        #expect(try await LoopbackClient.exchange(try #require(server.boundAddresses.first), text)?.status == 200)
        await server.stop(grace: .zero)
        await store.close()
    }

    @Test func refusesInvalidIDsAndMethods() async throws {
        try await withHost { host async throws in
            #expect(try await host.call("GET", "/api/v1/downloads/aaaaaaaaaaaa").status == 404)
            #expect(try await host.call("GET", "/api/v1/downloads/..%2f").status == 404)
            #expect(try await host.call("GET", "/api/v1/downloads?wait=long").status == 400)
            #expect(try await host.call("PUT", "/api/v1/downloads").status == 405)
            #expect(try await host.exchange("GET", "/api/v1/downloads").status == 401)
        }
    }

    @Test func continuesEarlierDownloadsOnlyIfConfigured() async throws {
        let gate = ScriptedGate()
        origin.always(film, .holdHead(gate))
        try await withHost { host in
            _ = try await host.call("POST", "/api/v1/downloads", body: #"{"url":"\#(film)"}"#)
        }
        origin.always(film)
        let earlier = origin.requests.count
        try await withHost({ $0.resumesDownloads = false }) { host in
            let list: DownloadList = try await host.answer("GET", "/api/v1/downloads")
            // This server doesn't run the download, so its state isn't `queued`.
            #expect(list.downloads.map(\.state) == [.waiting])
            #expect(list.downloads.first?.reason?.code == "server")
            #expect(await !host.server.isDownloading)
            await host.server.downloadsEnded()
        }
        #expect(origin.requests.count == earlier)
        try await withHost { host in
            let list: DownloadList = try await host.answer("GET", "/api/v1/downloads")
            let id = try #require(list.downloads.first).id
            var record: DownloadRecord
            repeat {
                record = try await host.answer("GET", "/api/v1/downloads/\(id)?wait=10000")
            } while !record.state.isEnded
            #expect(record.state == .complete)
        }
    }

    @Test func reportsUnwritableFolder() async throws {
        try Data("a file instead of a folder".utf8).write(to: URL(filePath: folder.path))
        try await CacheHost.use(folder: "\(folder.path)/cache", origin: origin) { host in
            let answer = try await host.call("POST", "/api/v1/downloads", body: #"{"url":"\#(film)"}"#)
            let problem = try answer.decoded(Problem.self)
            #expect(answer.status == 500 && problem.code == "storage")
            #expect(try await host.call("GET", "/api/v1/settings/downloads").status == 500)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func reportsDownloadOfAsset() async throws {
        try await withHost { host in
            let id = try await host.download(#"{"url":"\#(stream)"}"#).id
            let one = "/api/v1/assets/\(id)"
            let record: AssetRecord = try await host.answer("GET", one)
            #expect(record.state == .complete && record.kind == .stream && record.duration == 10)
            #expect(record.bytes == 3 * 18_800 && record.length == record.bytes && record.isLengthExact)
            #expect(record.plays == 0 && record.holeCount == 0)
            let renamed: AssetRecord = try await host.answer("PATCH", one, body: #"{"title":"Another"}"#)
            #expect(renamed.title == "Another")
            let list: AssetList = try await host.answer("GET", "/api/v1/assets")
            #expect(list.assets == [renamed])
            let download: DownloadRecord = try await host.answer("GET", "/api/v1/downloads/\(id)")
            #expect(download.title == "Another")
        }
    }

    @Test func keepsSharedPartsOfRemovedAsset() async throws {
        let other = try ResourceURL("http://origin.example/show/other.m3u8")
        origin[other] = .playlist("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n")
        try await withHost { host in
            let first = try await host.download(#"{"url":"\#(stream)"}"#)
            let second = try await host.download(#"{"url":"\#(other)"}"#)
            #expect(try await host.call("DELETE", "/api/v1/assets/\(first.id)").status == 204)
            let stored: ResourceList = try await host.answer("GET", "/api/v1/resources")
            #expect(Set(stored.resources.map { $0.url.split(separator: "/").last }) == ["a.ts", "other.m3u8"])
            let list: DownloadList = try await host.answer("GET", "/api/v1/downloads")
            #expect(list.downloads.map(\.id) == [second.id])
        }
    }

    @Test func endsDownloadOfRemovedResource() async throws {
        try await withHost { host in
            _ = try await host.download(#"{"url":"\#(film)"}"#)
            let stored: ResourceList = try await host.answer("GET", "/api/v1/resources")
            let id = try #require(stored.resources.first).id
            #expect(try await host.call("DELETE", "/api/v1/resources/\(id)").status == 200)
            let list: DownloadList = try await host.answer("GET", "/api/v1/downloads")
            #expect(list.downloads.isEmpty)
            #expect(try await host.download(#"{"url":"\#(film)"}"#).bytes == Self.length)
        }
    }

    @Test func storesAndChecksSettings() async throws {
        let path = "/api/v1/settings/downloads"
        try await withHost { host in
            #expect(try await host.answer("GET", path, as: DownloadSettings.self) == DownloadSettings())
            let changed: DownloadSettings = try await host.answer(
                "PATCH", path,
                body: #"{"limits":{"assets":2,"transfersPerAsset":9},"policy":{"onlyUnmetered":true},"bandwidth":5000}"#
            )
            #expect(changed.limits == DownloadLimits(assets: 2, transfersPerAsset: 9) && changed.policy.onlyUnmetered)
            #expect(changed.bandwidth == 5000)
            #expect(host.store.bandwidth.classes[.download] == 5000 && host.store.schedulingLimits.perHost == 9)
            #expect(try await host.call("PATCH", path, body: #"{"limits":{"assets":0}}"#).status == 400)
            let hours = #"{"policy":{"hours":{"start":60,"end":9000}}}"#
            #expect(try await host.call("PATCH", path, body: hours).status == 400)
        }
        try await withHost({ $0.downloads = DownloadSettingsUpdate(limits: .init(transfersPerAsset: 1)) }) { host in
            let stored: DownloadSettings = try await host.answer("GET", path)
            #expect(stored.limits == DownloadLimits(assets: 2, transfersPerAsset: 1) && stored.policy.onlyUnmetered)
            let unlimited: DownloadSettings = try await host.answer("PATCH", path, body: #"{"bandwidth":0}"#)
            #expect(unlimited.bandwidth == nil && host.store.bandwidth.classes[.download] == nil)
            let replaced: DownloadSettings = try await host.answer("PUT", path, body: "{}")
            #expect(replaced == DownloadSettings())
        }
    }

    /// Settings for one process don't apply to the next one.
    @Test func doesNotStoreOverridingSettings() async throws {
        let path = "/api/v1/settings/downloads"
        let overriding = DownloadSettingsUpdate(limits: .init(assets: 7, transfersPerAsset: 1), bandwidth: 900)
        try await withHost({ $0.downloads = overriding }) { host in
            let changed: DownloadSettings = try await host.answer(
                "PATCH", path, body: #"{"limits":{"assets":2},"policy":{"onlyUnmetered":true}}"#)
            #expect(changed.limits == DownloadLimits(assets: 2, transfersPerAsset: 1))
            #expect(changed.bandwidth == 900 && changed.policy.onlyUnmetered)
        }
        try await withHost { host in
            let stored: DownloadSettings = try await host.answer("GET", path)
            var expected = DownloadSettings()
            expected.limits.assets = 2
            expected.policy.onlyUnmetered = true
            #expect(stored == expected)
        }
    }

    @Test func replacesOverridingSettings() async throws {
        let path = "/api/v1/settings/downloads"
        let overriding = DownloadSettingsUpdate(limits: .init(assets: 7), bandwidth: 900)
        try await withHost({ $0.downloads = overriding }) { host in
            let _: DownloadSettings = try await host.answer(
                "PATCH", path, body: #"{"limits":{"transfersPerAsset":9},"bandwidth":800}"#)
            try await host.server.overrideDownloadSettings(DownloadSettingsUpdate(limits: .init(assets: 5)))
            var current: DownloadSettings = try await host.answer("GET", path)
            #expect(current.limits == DownloadLimits(assets: 5, transfersPerAsset: 9) && current.bandwidth == 800)
            #expect(host.store.bandwidth.classes[.download] == 800)
            try await host.server.overrideDownloadSettings(DownloadSettingsUpdate(bandwidth: 700))
            current = try await host.answer("GET", path)
            #expect(current.limits.assets == DownloadLimits().assets && current.bandwidth == 700)
            #expect(host.store.bandwidth.classes[.download] == 700)
        }
    }

    @Test func storesConcurrentChanges() async throws {
        let path = "/api/v1/settings/downloads"
        let bodies = [
            #"{"limits":{"assets":5}}"#, #"{"limits":{"transfersPerAsset":6}}"#, #"{"bandwidth":7000}"#,
            #"{"policy":{"onlyUnmetered":true}}"#, #"{"policy":{"freeSpaceReserve":8000}}"#,
        ]
        try await withHost { host in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for body in bodies { group.addTask { try await host.call("PATCH", path, body: body).status } }
                for try await status in group { #expect(status == 200) }
            }
        }
        try await withHost { host in
            let stored: DownloadSettings = try await host.answer("GET", path)
            #expect(stored.limits == DownloadLimits(assets: 5, transfersPerAsset: 6) && stored.bandwidth == 7000)
            #expect(stored.policy.onlyUnmetered && stored.policy.freeSpaceReserve == 8000)
        }
    }
}
