import HLS
import MediaCache
import MediaCacheTesting
import MediaContainers
import Synchronization
import Testing

@testable import MediaLibrary

struct MediaProberTests {
    private let fixture = LibraryFixture()
    private let base = "http://origin.example/show/"

    private func url(_ name: String) throws -> ResourceURL { try ResourceURL(base + name) }

    private func probe(_ name: String, selection: StreamSelection? = nil) async throws -> MediaProbe {
        let store = try await fixture.open()
        let prober = MediaProber(store: store, loader: PlaylistLoader(store: store))
        let result: Result<MediaProbe, any Error>
        do {
            result = .success(try await prober.probe(try url(name), selection: selection))
        } catch {
            result = .failure(error)
        }
        await store.close()
        return try result.get()
    }

    /// Playlists may state any bit rate.
    @Test func acceptsExtremeBitRates() async throws {
        fixture.serve(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=9223372036854775807\nhigh.m3u8\n", at: try url("index.m3u8"))
        fixture.serve(SamplePlaylist.onDemand, at: try url("high.m3u8"))
        #expect(try await probe("index.m3u8").length == 1_000_000_000_000_000_000)
    }

    @Test func listsVariantsAndRenditions() async throws {
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",DEFAULT=YES,URI="de.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",URI="en.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="b",NAME="English",LANGUAGE="en",URI="en-b.m3u8"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Français",LANGUAGE="fr",URI="fr.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=500000,AVERAGE-BANDWIDTH=400000,RESOLUTION=640x360,FRAME-RATE=25.000,AUDIO="a"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1920x1080,CODECS="avc1.640028,mp4a.40.2",AUDIO="b"
            high.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1920x1080,AUDIO="a"
            high.m3u8

            """, at: try url("index.m3u8"))
        fixture.serve(SamplePlaylist.onDemand, at: try url("high.m3u8"))
        let probe = try await probe("index.m3u8")
        #expect(probe.kind == .stream && !probe.isLive && !probe.isEncrypted)
        #expect(probe.duration == 18)
        #expect(probe.variants.map(\.selection) == ["2000000", "500000"])
        #expect(probe.variants.map(\.height) == [1080, 360])
        #expect(probe.variants.map(\.length) == [18 * 250_000, 18 * 50_000])
        #expect(probe.variants.first?.codecs == "avc1.640028,mp4a.40.2")
        #expect(probe.variants.last?.frameRate == 25)
        #expect(probe.length == 18 * 250_000 && !probe.isLengthExact)
        #expect(probe.audio.map(\.name) == ["Deutsch", "English"])
        #expect(probe.audio.map(\.isDefault) == [true, false])
        #expect(probe.subtitles.map(\.language) == ["fr"])
        #expect(probe.notes.isEmpty)
        // Neither the other variant stream nor a segment is requested.
        #expect(fixture.origin.requests.map(\.url) == [try url("index.m3u8"), try url("high.m3u8")])
    }

    @Test func describesSelection() async throws {
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de-CH",DEFAULT=YES,URI="de.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",URI="en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=500000,RESOLUTION=640x360,AUDIO="a"
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2000000,RESOLUTION=1920x1080,AUDIO="a"
            high.m3u8

            """, at: try url("index.m3u8"))
        fixture.serve(SamplePlaylist.onDemand, at: try url("low.m3u8"))
        let probe = try await probe(
            "index.m3u8", selection: StreamSelection(variants: .worst, audio: .some(["fr", "en"])))
        #expect(probe.selected?.variants.map(\.height) == [360])
        #expect(probe.selected?.audio.map(\.language) == ["en"] && probe.selected?.subtitles == [])
        #expect(probe.absentAudio(among: ["fr", "en"]) == ["fr"])
        #expect(probe.absentAudio(among: ["en"]) == [] && probe.absentSubtitles(among: ["de"]) == ["de"])
        #expect(probe.exportObstacle == nil)
        // Only the selected variant stream is requested.
        #expect(fixture.origin.requests.map(\.url) == [try url("index.m3u8"), try url("low.m3u8")])
    }

    @Test(arguments: [StreamSelection.Variants.best, .bandwidth(2_000_000)])
    func selectionChoosesVariant(_ selection: StreamSelection.Variants) {
        let low = VariantStream(uri: "low.m3u8", bandwidth: 500_000)
        let high = VariantStream(uri: "high.m3u8", bandwidth: 2_000_000)
        var playlist = MultivariantPlaylist()
        playlist.entries = [.variant(low), .variant(high)]
        #expect(StreamSelection(variants: selection).choose(from: playlist).variants == [high])
    }

    @Test func liveStreamHasNoLength() async throws {
        fixture.serve("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=80000\nlive.m3u8\n", at: try url("index.m3u8"))
        fixture.serve(SamplePlaylist.live(from: 7, "a.ts", "b.ts"), at: try url("live.m3u8"))
        let probe = try await probe("index.m3u8")
        #expect(probe.isLive)
        #expect(probe.duration == 12)
        #expect(probe.length == nil)
        #expect(probe.variants.map(\.length) == [nil])
    }

    @Test func addsNotes() async throws {
        fixture.serve(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:6
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://key",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXTINF:6,
            a.ts
            #EXT-X-GAP
            #EXTINF:6,
            b.ts
            #EXT-X-ENDLIST

            """, at: try url("drm.m3u8"))
        let probe = try await probe("drm.m3u8")
        #expect(probe.isEncrypted)
        #expect(probe.notes.count == 2)
        #expect(probe.exportObstacle?.contains("com.apple.streamingkeydelivery") == true)
        #expect(probe.notes.contains { $0.contains("com.apple.streamingkeydelivery") })
        #expect(probe.notes.contains { $0.contains("1 of 2 segments") })
    }

    @Test func remembersPlaylistWithUnusualName() async throws {
        fixture.serve(SamplePlaylist.onDemand, at: try url("watch?id=7"))
        let store = try await fixture.open()
        let loader = PlaylistLoader(store: store)
        let entry = try url("watch?id=7")
        #expect(!loader.expectsPlaylist(at: entry))
        let probe = try await MediaProber(store: store, loader: loader).probe(entry)
        #expect(probe.kind == .stream && probe.duration == 18)
        // A later download of this URL is treated as a stream.
        #expect(loader.expectsPlaylist(at: entry))
        await store.close()
    }

    /// Returns several megabytes of audio with the index at the end.
    private static func film() throws -> [UInt8] {
        var builder = MovieBuilder()
        let format = MediaFormat(codec: .mp3, sampleEntry: "mp4a", sampleRate: 48_000, channels: 2)
        _ = try builder.add(MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 48_000))
        var media: [UInt8] = []
        for index in 0..<5000 {
            let time = Int64(index) * 960
            try builder.add(MediaSample(track: 0, pts: time, dts: time, duration: 960, size: 1000, isSync: true))
            media += (0..<1000).map { UInt8(truncatingIfNeeded: index &* 7 &+ $0) }
        }
        let type: [UInt8] = [0, 0, 0, 16] + Array("ftypisom".utf8) + [0, 0, 2, 0]
        let head = type + MovieBuilder.mediaHeader(builder.mediaLength)
        return head + media + (try builder.movieBox(mediaStart: Int64(head.count)))
    }

    @Test func readsIndexAnywhereInFile() async throws {
        let film = try Self.film()
        fixture.origin[try url("film.mp4")] = ScriptedResource(
            .bytes(film), entityTag: "\"1\"", contentType: "video/mp4")
        let probe = try await probe("film.mp4")
        #expect(probe.kind == .file)
        #expect(probe.length == Int64(film.count) && probe.isLengthExact)
        #expect(probe.duration.map { abs($0 - 100) < 0.1 } == true, "\(probe.duration ?? 0)")
        #expect(probe.notes.isEmpty)
        // The beginning and the end are sufficient, so the middle isn't requested.
        let sent = fixture.origin.requests.reduce(0) { $0 + $1.bodyBytes }
        #expect(sent < Int64(film.count) / 2, "\(sent) of \(film.count) bytes")
    }

    @Test func reportsMissingIndex() async throws {
        fixture.origin[try url("cut.mp4")] = ScriptedResource(
            .bytes(Array(try Self.film().prefix(3_000_000))), entityTag: "\"1\"", contentType: "video/mp4")
        let probe = try await probe("cut.mp4")
        #expect(probe.length == 3_000_000 && probe.duration == nil)
        #expect(probe.notes.count == 1 && probe.notes[0].contains("index"))
    }

    @Test func throwsForHTML() async throws {
        fixture.origin[try url("film.mp4")] = ScriptedResource(
            .text("<!DOCTYPE html><html><body>Please log in</body></html>"), contentType: "text/html")
        let error = await #expect(throws: CacheError.self) { _ = try await self.probe("film.mp4") }
        #expect(error?.code == .notMedia)
    }

    @Test(.timeLimit(.minutes(60))) func limitsWaitForIndex() async throws {
        let film = try Self.film()
        let entry = try url("film.mp4")
        fixture.origin[entry] = ScriptedResource(.bytes(film), entityTag: "\"1\"", contentType: "video/mp4")
        let gate = ScriptedGate()
        fixture.origin.always(entry, .holdBody(at: Int64(film.count) - 100, gate))
        let isOver = Mutex(false)
        async let clock: Void = {
            await gate.waitForArrivals()
            while !isOver.withLock({ $0 }), !Task.isCancelled {
                fixture.time.advance(by: .seconds(1))
                await Task.yield()
            }
        }()
        let probe = try await probe("film.mp4")
        isOver.withLock { $0 = true }
        await clock
        #expect(probe.length == Int64(film.count) && probe.duration == nil)
        #expect(probe.notes.count == 1 && probe.notes[0].contains("index"))
    }
}
