import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of `/api/v1/storage` and of the order of downloads, with a real store.
@Suite(.timeLimit(.minutes(30)))
struct StorageRouteTests {
    private let origin = ScriptedOrigin()

    init() throws {
        for (name, length) in [("film.mp4", 500_000), ("played/1.mp4", 200_000), ("played/2.mp4", 100_000)] {
            origin[try ResourceURL("http://origin.example/\(name)")] = ScriptedResource(
                .random(seed: UInt64(length), length: Int64(length)))
        }
    }

    /// Plays a file, and waits until the server releases it, which happens after the end of the response.
    private func play(_ name: String, on host: CacheHost) async throws {
        #expect(try await host.play(try ResourceURL("http://origin.example/\(name)")).status == 200)
        while try await host.store.resources().contains(where: \.isInUse) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func changesLimitsWhileRunning() async throws {
        try await CacheHost.use(origin: origin) { host in
            let path = "/api/v1/settings/cache"
            // The release determines the order of the last uses.
            for name in ["played/1.mp4", "played/2.mp4"] { try await play(name, on: host) }
            let before: CacheSettings = try await host.answer("GET", path)
            let body = """
                {"limits": {"maximumBytes": 150000, "minimumFreeBytes": 0}, "transfers": {"retries": 1, "readAhead": 65536},
                "bandwidth": {"total": 5000000, "preload": 1000}}
                """
            var changed: CacheSettings = try await host.answer("PATCH", path, body: body)
            #expect(changed.limits.maximumBytes == 150_000 && changed.limits.minimumFreeBytes == 0)
            #expect(changed.transfers.retries == 1 && changed.transfers.readAhead == 65_536)
            #expect(changed.transfers.stallTimeout == before.transfers.stallTimeout)
            #expect(changed.bandwidth.total == 5_000_000 && changed.bandwidth.preload == 1000)
            #expect(host.store.limits.maximumBytes == 150_000 && host.store.transfers.retries.budget == 1)
            #expect(host.store.bandwidth == BandwidthLimits(total: 5_000_000, classes: [.preload: 1000]))
            let usage = try await host.store.usage().bytes
            #expect(usage == 100_000, "the least recently used file must be evicted")

            let reset = #"{"limits": {"maximumBytes": 0}, "bandwidth": {"total": 0, "preload": 0}}"#
            changed = try await host.answer("PATCH", path, body: reset)
            #expect(changed.limits.maximumBytes == nil && changed.bandwidth.total == nil)
            #expect(changed.transfers.retries == 1)
            #expect(host.store.bandwidth == BandwidthLimits())
        }
    }

    @Test func keepsConcurrentChanges() async throws {
        try await CacheHost.use(origin: origin) { host in
            let path = "/api/v1/settings/cache"
            let names = ["total", "playback", "recording", "preload", "background"]
            for round in 1...20 {
                await withTaskGroup(of: Void.self) { group in
                    for name in names {
                        group.addTask {
                            let body = #"{"bandwidth": {"\#(name)": \#(round)}}"#
                            #expect((try? await host.call("PATCH", path, body: body).status) == 200)
                        }
                    }
                }
                let limit = Int64(round)
                #expect(
                    host.store.bandwidth
                        == BandwidthLimits(
                            total: limit,
                            classes: [.playback: limit, .recording: limit, .preload: limit, .background: limit]))
            }
        }
    }

    /// The server doesn't hold a file after a response with its path, so only a pin protects the file from eviction.
    @Test func sparesFileOfPinnedResource() async throws {
        try await CacheHost.use(origin: origin) { host in
            let client = try host.client()
            var files: [String] = []
            for (name, isPinned) in [("played/1.mp4", true), ("played/2.mp4", false)] {
                let url = try ResourceURL("http://origin.example/\(name)")
                try await play(name, on: host)
                let record = try #require(try await client.resource(for: url))
                if isPinned { try await client.setPinned(true, id: record.id) }
                let withFile = try await client.resource(id: record.id, withFile: true)
                files.append(try #require(withFile?.localFile))
            }
            let body = #"{"limits": {"maximumBytes": 50000, "minimumFreeBytes": 0}}"#
            #expect(try await host.call("PATCH", "/api/v1/settings/cache", body: body).status == 200)
            #expect(try await host.call("POST", "/api/v1/prune").status == 200)
            #expect(files.map { FileManager.default.fileExists(atPath: $0) } == [true, false])
        }
    }

    @Test func changedSettingsApplyToLibrary() async throws {
        try await CacheHost.use(origin: origin) { host in
            _ = try await host.download(#"{"url":"http://origin.example/film.mp4"}"#)
            let store = host.store
            let reading = LibraryReading(profiles: HeaderProfileStore(base: store.transfers), downloads: nil)
            let asset = try #require(try await AssetStore(of: store).assets().first)
            store.updateTransfers { $0.retries.budget = 1 }
            #expect(reading.settings(asset).retries.budget == 1)
        }
    }

    @Test func reportsUsageAndEvictionOrder() async throws {
        try await CacheHost.use(origin: origin) { host in
            let film = try await host.download(#"{"url":"http://origin.example/film.mp4"}"#)
            let url = try ResourceURL("http://origin.example/played/1.mp4")
            try await play("played/1.mp4", on: host)
            var storage: StorageRecord = try await host.answer("GET", "/api/v1/storage")
            #expect(storage.items.map(\.kind) == [.asset, .file])
            #expect(storage.items.first?.id == film.id && storage.items.first?.pinned == true)
            #expect(storage.items.map(\.bytes) == [500_000, 200_000])
            #expect(storage.items.last?.title == url.description)
            #expect(storage.evictedNext.map(\.url) == [url.description])
            #expect(storage.usage.usage.bytes == 700_000)

            try await play("played/2.mp4", on: host)
            storage = try await host.answer("GET", "/api/v1/storage")
            #expect(storage.items.map(\.kind) == [.asset, .file, .file])
            #expect(storage.items.map(\.bytes) == [500_000, 200_000, 100_000])
            #expect(storage.evictedNext.map(\.bytes) == [200_000, 100_000])
        }
    }

    @Test func reordersDownloads() async throws {
        try await CacheHost.use(origin: origin) { host in
            var ids: [String] = []
            for name in ["film.mp4", "played/1.mp4", "played/2.mp4"] {
                let body = #"{"url":"http://origin.example/\#(name)","paused":true}"#
                let record: DownloadRecord = try await host.answer("POST", "/api/v1/downloads", body: body)
                ids.append(record.id)
            }
            let body = #"{"ids":["\#(ids[2])","\#(ids[0])","\#(ids[1])"]}"#
            let list: DownloadList = try await host.answer("PUT", "/api/v1/downloads/order", body: body)
            #expect(list.downloads.sorted { $0.priority > $1.priority }.map(\.id) == [ids[2], ids[0], ids[1]])
            let none = try await host.call("PUT", "/api/v1/downloads/order", body: #"{"ids":["\#(ids[0])","x"]}"#)
            #expect(none.status == 400 || none.status == 404)
        }
    }

    @Test func reportsRunningFills() async throws {
        let gate = ScriptedGate()
        let url = try ResourceURL("http://origin.example/film.mp4")
        origin.always(url, .holdBody(at: 100_000, gate))
        try await CacheHost.use(origin: origin) { host in
            let session = try await host.store.read(ReadRequest(url: url))
            await gate.waitForArrivals()
            let path = "/api/v1/resources?url=\(APIClient.escape(url.description))"
            let record: ResourceRecord = try await host.answer("GET", path)
            #expect(record.fills == [ByteSpan(start: record.spans.last?.end ?? 0, end: 500_000)])
            session.cancel()
            gate.open()
            _ = try await host.store.complete(ReadRequest(url: url))
            let done: ResourceRecord = try await host.answer("GET", path)
            #expect(done.fills.isEmpty && done.complete)
        }
    }
}
