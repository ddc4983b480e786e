import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import MediaLibrary
import Testing

@testable import MediaCacheServer

/// Tests of channels in the API and of their windows for players.
struct LiveRouteTests {
    private let origin = ScriptedOrigin()
    private let base = "http://origin.example/live/"
    /// The start of the first segment, in milliseconds since 1970.
    private let start: Int64 = 1_790_000_000_000

    /// The recorded time ranges, between which the fourth segment is missing.
    private var recordedRanges: [TimeSpan] {
        [TimeSpan(from: start, to: start + 18_000), TimeSpan(from: start + 24_000, to: start + 60_000)]
    }

    /// Serves ten segments of 6 s. The fourth is a gap, and the last two are byte ranges of a file.
    private func serve() throws {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:40\n"
        text += "#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:20.000Z\n"
        for number in 0..<10 {
            if number == 3 { text += "#EXT-X-GAP\n" }
            if number >= 8 { text += "#EXT-X-BYTERANGE:1880@\((number - 8) * 1880)\n" }
            text += "#EXTINF:6,\n\(number >= 8 ? "file" : "\(number)").ts\n"
            if number != 3, number < 8 { try put(segment(number), at: "\(number).ts") }
        }
        try put(segment(8) + segment(9), at: "file.ts")
        origin[try ResourceURL(base + "index.m3u8")] = .playlist(text)
    }

    private func put(_ bytes: [UInt8], at name: String) throws {
        origin[try ResourceURL(base + name)] = ScriptedResource(
            .bytes(bytes), entityTag: "\"1\"", contentType: "video/mp2t")
    }

    private func segment(_ number: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for packet in 0..<10 {
            bytes.append(0x47)
            let first = number * 31 + packet * 7
            for index in 1..<188 { bytes.append(UInt8(truncatingIfNeeded: first + index)) }
        }
        return bytes
    }

    private func withHost(
        frames: (any FrameExtractor)? = nil, _ body: (CacheHost) async throws -> Void
    ) async throws {
        try await CacheHost.use(origin: origin, { $0.frames = frames }, body)
    }

    /// Records the whole stream and stops.
    private func record(_ host: CacheHost, _ name: String = "one") async throws {
        try serve()
        let made = try await host.call(
            "POST", "/api/v1/channels", body: #"{"name":"\#(name)","url":"\#(base)index.m3u8"}"#)
        #expect(made.status == 201)
        var segments = 0
        while segments < 9 {
            await Task.yield()
            segments = try await channel(host, name).segments
        }
        #expect(segments == 9)
        #expect(try await host.call("PATCH", "/api/v1/channels/\(name)", body: #"{"state":"stopped"}"#).status == 200)
    }

    private func channel(_ host: CacheHost, _ name: String = "one") async throws -> ChannelRecord {
        try await host.answer("GET", "/api/v1/channels/\(name)")
    }

    private func text(_ host: CacheHost, _ path: String) async throws -> String {
        let answer = try await host.exchange("GET", path)
        #expect(answer.status == 200, "\(path)")
        #expect(answer.fields["content-type"] == "application/vnd.apple.mpegurl")
        return answer.text
    }

    @Test func addsListsStopsAndRemovesChannel() async throws {
        try await withHost { host in
            try await record(host)
            let one = try await channel(host)
            #expect(one.state == .stopped && one.gaps == 1 && one.gapSeconds == 6)
            #expect(one.recordedRanges == recordedRanges)
            #expect(one.bytes == 9 * 1880)
            #expect(try await host.exchange("GET", "/api/v1/channels").status == 401)
            let gaps: TimelineRecord = try await host.answer("GET", "/api/v1/channels/one/gaps")
            #expect(gaps.segments.map(\.start) == [start + 18_000])
            #expect(try await host.call("GET", "/api/v1/channels/other").status == 404)
            #expect(try await host.call("GET", "/api/v1/channels/.x").status == 404)
            let duplicate = try await host.call(
                "POST", "/api/v1/channels", body: #"{"name":"one","url":"\#(base)other.m3u8"}"#)
            #expect(duplicate.status == 409)
            let otherSelection = try await host.call(
                "POST", "/api/v1/channels", body: #"{"name":"one","url":"\#(base)live.m3u8","variant":"worst"}"#)
            #expect(otherSelection.status == 409)
            #expect(try await host.call("DELETE", "/api/v1/channels/one").status == 204)
            #expect(try await host.exchange("GET", "/live/one/index.m3u8").status == 404)
            #expect(try await host.store.resources().isEmpty)
        }
    }

    @Test func servesWindowsWithSegments() async throws {
        try await withHost { host in
            try await record(host)
            let entry = try await text(
                host, "/live/one/index.m3u8?begintime=\(start + 13_000)&endtime=\(start + 55_000)")
            let child = try #require(entry.split(separator: "\n").last)
            let playlist = try await text(host, "/live/one/\(child)")
            #expect(playlist.contains("#EXT-X-MEDIA-SEQUENCE:42\n"))
            #expect(playlist.contains("#EXT-X-START:TIME-OFFSET=1,PRECISE=YES\n"))
            #expect(playlist.contains("#EXT-X-GAP\n") && playlist.hasSuffix("#EXT-X-ENDLIST\n"))
            for number in 0..<10 where number != 3 {
                let path = "/live/one/media-1/\(40 + number).ts"
                let whole = try await host.exchange("GET", path)
                #expect(whole.status == 200 && whole.body == segment(number), "\(number)")
                let part = try await host.exchange("GET", path, ["Range: bytes=-188"])
                #expect(part.status == 206 && part.body == Array(segment(number).suffix(188)), "\(number)")
                #expect(try await host.exchange("HEAD", path).fields["content-length"] == "1880")
            }
            #expect(try await host.exchange("GET", "/live/one/media-1/43.ts").status == 404)
            #expect(try await host.exchange("GET", "/live/one/media-1/50.ts").status == 404)
            #expect(try await host.exchange("GET", "/live/one/other-1/41.ts").status == 404)
        }
    }

    @Test func reportsUnavailableWindows() async throws {
        try await withHost { host in
            try await record(host)
            let outside = try await host.exchange("GET", "/live/one/index.m3u8?begintime=\(start - 60_000)&strict=1")
            #expect(outside.status == 404)
            #expect(try outside.decoded(Problem.self).recordedRanges == recordedRanges)
            for query in ["begintime=frog", "endtime=\(start)", "begintime=\(start)&endtime=\(start)", "window=x"] {
                let answer = try await host.exchange("GET", "/live/one/index.m3u8?\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect(answer.fields["content-type"] == Problem.contentType)
            }
            #expect(try await host.exchange("GET", "/live/one/archive-1.m3u8").status == 400)
            #expect(try await host.exchange("GET", "/live/one/\(start).mp4").status == 400)
            #expect(try await host.exchange("GET", "/live/one/frog.jpg").status == 501)
            #expect(try await host.exchange("GET", "/live/other/index.m3u8").status == 404)
            #expect(try await host.exchange("GET", "/live/one/../../etc/passwd").status == 404)
        }
    }

    @Test func windowStartsAtRecordedRange() async throws {
        try await withHost { host in
            try await record(host)
            let path = "/live/one/index.m3u8?begintime=\(start - 60_000)&endtime=\(start + 15_000)"
            let answer = try await host.exchange("GET", path)
            #expect(answer.status == 200)
            #expect(answer.fields["mediacache-window-start"] == "2026-09-21T14:13:20.000Z")
            let child = try #require(answer.text.split(separator: "\n").last)
            let playlist = try await text(host, "/live/one/\(child)")
            #expect(playlist.contains("#EXT-X-PROGRAM-DATE-TIME:2026-09-21T14:13:20.000Z\n"))
            #expect(playlist.contains("/40.ts") || playlist.contains("\n40.ts\n"))
            #expect(try await host.exchange("GET", "\(path)&strict=1").status == 404)
            #expect(try await host.exchange("GET", "\(path)&strict=perhaps").status == 400)
            let exact = try await host.exchange("GET", "/live/one/index.m3u8?begintime=\(start + 13_000)&strict=1")
            #expect(exact.fields["mediacache-window-start"] == "2026-09-21T14:13:33.000Z")
            let live = try await host.exchange("GET", "/live/one/index.m3u8")
            #expect(live.status == 200 && live.fields["mediacache-window-start"] == nil)
            let past = "begintime=\(start - 60_000)&endtime=\(start)"
            #expect(try await host.exchange("GET", "/live/one/index.m3u8?\(past)").status == 404)
        }
    }

    /// The stream's clock differs from the server's.
    @Test func resolvesRelativeMomentsByStreamClock() async throws {
        try await withHost { host in
            try await record(host)
            let answer = try await host.exchange("GET", "/live/one/index.m3u8?begintime=-3000&endtime=now")
            #expect(answer.status == 200)
            #expect(answer.fields["mediacache-window-start"] == "2026-09-21T14:13:20.000Z")
            #expect(try await host.exchange("GET", "/live/one/timeshift_rel-0.m3u8").status == 200)
            let timeline: TimelineRecord = try await host.answer("GET", "/api/v1/channels/one/timeline?from=-3000")
            #expect(timeline.segments.count == 10)
            let body = #"{"name":"news","from":"-3000","to":"now"}"#
            let programme: ProgrammeRecord = try await host.answer(
                "POST", "/api/v1/channels/one/programmes", body: body)
            #expect(abs(programme.to - programme.from - 3_000_000) <= 1)
            #expect(programme.from <= start && programme.to >= start + 60_000)
            let window: BundleRecord = try await host.answer("GET", "/api/v1/bundles?channel=one&from=\(start)&to=now")
            #expect(window.contents?.parts.count == 9)
            let now = try #require(try await channel(host).now)
            #expect(now >= start + 60_000 && now < start + 3_060_000)
        }
    }

    @Test func pagesTimelineAndGaps() async throws {
        try await withHost { host in
            try await record(host)
            let path = "/api/v1/channels/one/timeline?from=\(start)"
            let all: TimelineRecord = try await host.answer("GET", path)
            #expect(all.segments.count == 10 && all.next == nil)
            let first: TimelineRecord = try await host.answer("GET", "\(path)&limit=7")
            let second: TimelineRecord = try await host.answer(
                "GET", "\(path)&limit=7&after=\(try #require(first.next))")
            #expect(first.segments.count == 7 && second.next == nil)
            #expect(first.segments + second.segments == all.segments)
            let gaps: TimelineRecord = try await host.answer("GET", "/api/v1/channels/one/gaps?limit=1")
            #expect(gaps.segments.map(\.start) == [start + 18_000] && gaps.next == nil)
        }
    }

    /// Moments near the first and the last that fit into 64 bits of nanoseconds.
    @Test func acceptsExtremeTimelineEnds() async throws {
        try await withHost { host in
            try await record(host)
            for end in ["1677-09-21T00:13:00Z", "2262-04-11T23:47:16,854775807Z"] {
                let path = "/api/v1/channels/one/timeline?to=\(end)"
                let timeline: TimelineRecord = try await host.answer("GET", path)
                #expect(timeline.segments.isEmpty, "\(end)")
            }
        }
    }

    @Test func extractsFrameForEveryMomentFormat() async throws {
        try await withHost(frames: FixedFrames()) { host in
            try await record(host)
            func status(_ moment: String) async throws -> Int {
                try await host.exchange("GET", "/live/one/\(moment).jpg").status
            }
            for moment in ["\(start)", "2026-09-21T14:13:20.000Z", "2026-09-21T16:13:21.500%2B02:00", "1790000000.5"] {
                #expect(try await status(moment) == 200, "\(moment)")
            }
            for moment in ["2026-09-21T14:13:19.999Z", "2262-04-11T23:47:16,854775807Z", "1677-09-21T00:13:00Z"] {
                #expect(try await status(moment) == 404, "\(moment)")
            }
        }
    }

    @Test func addsListsAndRemovesProgrammes() async throws {
        try await withHost { host in
            try await record(host)
            let body = #"{"name":"news","from":"\#(start + 12_000)","to":"\#(start + 24_000)"}"#
            let made = try await host.call("POST", "/api/v1/channels/one/programmes", body: body)
            #expect(made.status == 201)
            let programme = try made.decoded(ProgrammeRecord.self)
            #expect(programme.from == start + 12_000 && programme.to == start + 24_000)
            #expect(try await channel(host).programmes == [programme])
            // Retention removes everything outside the programme.
            let change = try await host.call("PATCH", "/api/v1/channels/one", body: #"{"retention":{"bytes":1}}"#)
            #expect(change.status == 200)
            // Its last segment is a gap.
            #expect(try await channel(host).recordedRanges == [TimeSpan(from: start + 12_000, to: start + 18_000)])
            let path = try #require(URL(string: programme.playlistURL))
            #expect(try await host.exchange("GET", "\(path.path)?\(path.query ?? "")").status == 200)
            #expect(try await host.call("DELETE", "/api/v1/channels/one/programmes/\(programme.id)").status == 204)
            #expect(try await channel(host).segments == 0)
            #expect(try await host.call("DELETE", "/api/v1/channels/one/programmes/\(programme.id)").status == 404)
            let reversed = #"{"name":"news","from":"200","to":"100"}"#
            #expect(try await host.call("POST", "/api/v1/channels/one/programmes", body: reversed).status == 400)
        }
    }

    @Test func describesBundleOfWindow() async throws {
        try await withHost { host in
            try await record(host)
            let bundles = "/api/v1/bundles?channel=one"
            let all: BundleRecord = try await host.answer("GET", bundles)
            #expect(all.id == "one" && all.holeCount == 1 && all.contents?.parts.count == 9)
            let window: BundleRecord = try await host.answer(
                "GET", "\(bundles)&from=\(start + 25_000)&to=\(start + 40_000)")
            #expect(window.holeCount == 0)
            #expect(window.contents?.parts.map(\.name) == [44, 45, 46].map { "media-1/\($0).ts" })
            #expect(window.contents?.playlists.map(\.name) == ["index.m3u8", "media-1/index.m3u8"])
            #expect(window.libraryURL.hasSuffix("/live/one/"))
            for query in ["from=\(start - 60_000)", "to=\(start + 70_000_000)", "from=\(start + 90_000)"] {
                #expect(try await host.call("GET", "\(bundles)&\(query)").status == 404, "\(query)")
            }
            let earlier = try await host.call("GET", "\(bundles)&to=\(start - 60_000)")
            #expect(earlier.status == 404)
            #expect(try earlier.decoded(Problem.self).recordedRanges == recordedRanges)
            let reversed = "\(bundles)&from=\(start + 40_000)&to=\(start + 25_000)"
            #expect(try await host.call("GET", reversed).status == 400)
            #expect(try await host.call("GET", "/api/v1/bundles?channel=other").status == 404)
        }
    }

    @Test func convertsEndedRecordingToAsset() async throws {
        try await withHost { host in
            try await record(host)
            #expect(try await host.call("PATCH", "/api/v1/channels/one", body: #"{"state":"ended"}"#).status == 200)
            let assets = try await host.answer("GET", "/api/v1/assets", as: AssetList.self).assets
            let asset = try #require(assets.first)
            #expect(assets.count == 1 && asset.title == "one" && asset.kind == .stream && asset.duration == 60)
            #expect(asset.isRecorded == true)
            // Because of the lost segment, the movie is an error unless gaps are accepted.
            #expect(asset.holeCount == 1)
            let item = try #require(try await host.client().libraryItems().first { $0.kind == .asset })
            #expect(item.state == "ended" && !item.complete)
            let movie = try await host.exchange("GET", "/library/\(asset.id)/media.mp4")
            #expect(movie.status == 404 && movie.text.contains("?gaps=1"))
            let entry = try await text(host, "/library/\(asset.id)/index.m3u8")
            #expect(entry.contains("media-1/index.m3u8"))
            for number in [0, 9] {
                let read = try await host.exchange("GET", "/library/\(asset.id)/media-1/\(40 + number).ts")
                #expect(read.status == 200 && read.body == segment(number))
            }
            // The asset remains after the channel is removed. Removing the asset deletes all data.
            #expect(try await host.call("DELETE", "/api/v1/channels/one").status == 204)
            #expect(try await host.exchange("GET", "/library/\(asset.id)/media-1/41.ts").status == 200)
            #expect(try await host.call("DELETE", "/api/v1/assets/\(asset.id)").status == 204)
            #expect(try await host.store.resources().isEmpty)
        }
    }
}
