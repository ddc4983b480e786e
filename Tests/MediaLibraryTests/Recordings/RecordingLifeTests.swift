import Foundation
import MediaCache
import MediaCacheTesting
import Testing

@testable import MediaLibrary

/// Tests of recordings that are stopped, resumed by the next process, ended and deleted.
@Suite(.timeLimit(.minutes(20)))
struct RecordingLifeTests {
    /// A film is refused at once. An error page may be temporary, so it's refused only after five minutes.
    @Test(arguments: [("ftyp", 0.0), ("<!DOCTYPE html><html></html>", 300)])
    func stopsIfURLIsNotStream(body: String, seconds: Double) async throws {
        let fixture = try await RecordingFixture.opened()
        let (origin, time) = (fixture.live.library.origin, fixture.live.library.time)
        let before = time.sleepers
        let url = LiveOrigin.url("film.mp4")
        let bytes = body == "ftyp" ? [0, 0, 0, 16] + Array("ftypisom\0\0\0\0".utf8) : Array(body.utf8)
        origin[url] = ScriptedResource(.bytes(bytes), contentType: seconds > 0 ? "text/html" : "video/mp4")
        try await fixture.record { $0.url = url }
        await fixture.settle()
        if seconds == 0 {
            while await (try fixture.recording).state != .stopped { try await Task.yieldUnlessCancelled() }
        } else {
            try await fixture.pass(seconds - 10)
            #expect(await (try fixture.recording).state != .stopped)
        }
        try await fixture.pass(22)
        let status = try #require(try await fixture.recordings?.status(of: fixture.name))
        #expect(status.state == .stopped)
        let failure = try #require(status.failure)
        #expect(failure.contains("isn't a playlist; only HLS streams") == (seconds == 0), "\(failure)")
        #expect(time.sleepers == before)
        // The origin now serves a playlist at the URL.
        fixture.live.library.serve(fixture.live.text("v1"), at: url, entityTag: "\"2\"")
        try await fixture.recordings?.start(fixture.name)
        try await fixture.pass(2)
        #expect(try await fixture.recordings?.status(of: fixture.name).failure == nil)
        #expect(await (try fixture.recording).state != .stopped)
        await fixture.close()
    }

    /// The encoder is about to write its first playlist.
    @Test func waitsWhilePlaylistIsEmpty() async throws {
        let fixture = try await RecordingFixture.opened()
        fixture.live.updatesPlaylists = false
        fixture.live.library.serve("", at: fixture.live.entry, entityTag: "\"empty\"")
        try await fixture.record()
        try await fixture.pass(3)
        #expect(await (try fixture.recording).isRunning)
        fixture.live.updatesPlaylists = true
        try await fixture.pass(30)
        #expect(await (try fixture.recording).state == .recording)
        await fixture.close()
    }

    @Test func stopLeavesNoTasksOrRequests() async throws {
        let fixture = try await RecordingFixture.opened()
        let time = fixture.live.library.time
        let before = time.sleepers
        try await fixture.record()
        try await fixture.pass(60)
        #expect(time.sleepers > before)
        // Stops while segments and a playlist are being fetched.
        let gate = ScriptedGate()
        fixture.live.library.origin.always(fixture.live.segment(fixture.live.next), .stall(after: 10, until: gate))
        fixture.live.library.origin.always(fixture.live.segment(fixture.live.next, in: "a1"), .holdHead(gate))
        fixture.isHanging = true
        try await fixture.pass(14)
        fixture.live.library.origin.always(fixture.live.playlist("a1"), .holdHead(gate))
        try await fixture.pass(6)
        fixture.isHanging = false
        try await fixture.recordings?.stop(fixture.name)
        let requests = fixture.live.library.origin.requests.count
        try await fixture.pass(60)
        #expect(fixture.live.library.origin.requests.count == requests)
        #expect(time.sleepers == before)
        #expect(await (try fixture.recording).state == .stopped)
        fixture.live.clearFaults()
        for item in fixture.live.published.values.joined() { fixture.live.library.origin.clearFaults(item.url) }
        try await fixture.recordings?.start(fixture.name)
        try await fixture.pass(60)
        try await fixture.check()
        #expect(try await fixture.gapCount() > 0)
        await fixture.close()
    }

    @Test func stopsDespiteHangingKeyRequest() async throws {
        let fixture = try await RecordingFixture.opened { live in
            live.line = { _, isFirst in isFirst ? "#EXT-X-KEY:METHOD=AES-128,URI=\"/a.key\"\n" : "" }
        }
        fixture.live.library.origin.always(LiveOrigin.url("a.key"), .holdHead(ScriptedGate()))
        try await fixture.record()
        fixture.isHanging = true
        try await fixture.pass(8)
        try await fixture.recordings?.stop(fixture.name)
        #expect(await (try fixture.recording).state == .stopped)
        await fixture.close()
    }

    /// The encoder restarted while the recorder was off, so the awaited segment's name now refers to another segment.
    @Test func nextProcessChecksNamesBeforeFetching() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let number = fixture.live.next
        let url = fixture.live.segment(number)
        fixture.live.library.origin.always(url, .status(503))
        try await fixture.pass(7)
        let row = try #require(try await fixture.rows("video-1").last { $0.state == .awaited })
        #expect(row.url == url.description)
        await fixture.crash()
        fixture.live.library.origin.clearFaults(url)
        try await fixture.pass(300)
        fixture.live.restart(at: number - 3)
        try await fixture.pass(32)
        try await fixture.open()
        try await fixture.pass(30)
        #expect(try await fixture.rows("video-1").first { $0.number == row.number }?.state == .gap)
        #expect(fixture.reportedReasons("video-1").contains { $0.hasPrefix("its URL now refers to another segment") })
        try await fixture.check()
        await fixture.close()
    }

    @Test(arguments: [true, false]) func nextProcessResumesRecording(isCrash: Bool) async throws {
        let fixture = try await RecordingFixture.opened()
        try await fixture.pass(60)
        try await fixture.record()
        for _ in 0..<4 {
            try await fixture.pass(50.5)
            if isCrash { await fixture.crash() } else { await fixture.close() }
            try await fixture.pass(12)
            try await fixture.open()
        }
        try await fixture.pass(30)
        try await fixture.checkComplete()
        try await fixture.check("audio-1", in: "a1") { _ in true }
        // The segments published between the processes are gaps.
        await fixture.close()
        try await fixture.pass(600)
        try await fixture.open()
        try await fixture.pass(30)
        try await fixture.check()
        #expect(try await fixture.gapCount() > 80)
        await fixture.close()
    }

    /// The disk fails temporarily while a channel with two tracks is loaded.
    @Test func recordsTrackWhoseTimelineWasUnreadable() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        await fixture.close()
        let (files, folder) = (FileManager.default, fixture.live.library.folder)
        let names = files.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        let name = try #require(names.first { $0.contains("/audio-1.") && $0.hasSuffix(".page") })
        let page = "\(folder)/\(name)"
        // A folder can't be read as a file.
        try files.moveItem(atPath: page, toPath: "\(folder)-moved")
        try files.createDirectory(atPath: page, withIntermediateDirectories: false)
        try await fixture.open()
        let recording = try fixture.recording
        #expect(await recording.folders == ["video-1"])
        try files.removeItem(atPath: page)
        try files.moveItem(atPath: "\(folder)-moved", toPath: page)
        try await fixture.pass(30)
        #expect(try await fixture.gapCount("audio-1") == 0)
        try await fixture.check("audio-1", in: "a1") { _ in true }
        await fixture.close()
    }

    @Test func endedStreamBecomesAsset() async throws {
        let fixture = try await RecordingFixture.opened()
        let before = fixture.live.library.time.sleepers
        try await fixture.record()
        try await fixture.pass(100)
        // The last segment is unavailable.
        let lost = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(lost, .status(404))
        try await fixture.pass(6)
        fixture.live.hasEndList = true
        try await fixture.pass(atMost: 200) { try await fixture.assetStore?.assets().isEmpty == false }
        try await fixture.check { $0.url != lost }
        #expect(await (try fixture.recording).state == .ended)
        try await fixture.pass(30)
        #expect(fixture.live.library.time.sleepers == before)
        let asset = try #require(try await fixture.assetStore?.assets().first)
        #expect(asset.title == "one")
        let contents = try #require(try await fixture.assetStore?.contents(of: asset.id))
        let rows = try await fixture.rows("video-1") + fixture.rows("audio-1")
        #expect(contents.parts.count == rows.count { $0.state == .stored })
        // The asset is reported as incomplete.
        #expect(rows.contains { $0.state == .gap })
        #expect(asset.lostCount == rows.count { $0.state == .gap })
        #expect(asset.holeCount == asset.lostCount)
        #expect(contents.playlists.count == 3)
        #expect(contents.playlists.dropFirst().allSatisfy { $0.text.contains("#EXT-X-ENDLIST") })
        #expect(abs(contents.duration - Double(fixture.live.next * 6)) < 7)
        // The next process doesn't add another asset.
        await fixture.close()
        try await fixture.open()
        #expect(try await fixture.assetStore?.assets().count == 1)
        try await fixture.recordings?.remove(fixture.name)
        // The asset retains its media.
        let part = try #require(contents.parts.first)
        let info = try await fixture.store?.resource(of: part.request(settings: TransferSettings()))
        #expect(info?.isComplete == true)
        await fixture.close()
    }

    @Test func endedRecordingIncludesAllCachedSegments() async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, .status(404))
        let next = fixture.live.segment(fixture.live.next + 1)
        try await fixture.pass(atMost: 40) {
            try await fixture.rows("video-1").contains { $0.state == .stored && $0.url == next.description }
        }
        // An awaited segment doesn't hide later ones.
        try await fixture.end()
        try await fixture.check(through: next, without: url)
        let asset = try #require(try await fixture.assetStore?.assets().first)
        let contents = try #require(try await fixture.assetStore?.contents(of: asset.id))
        #expect(contents.parts.contains { $0.url == next.description })
        await fixture.close()
    }

    @Test(arguments: [true, false]) func completesRequestsInFlightBeforeEnd(isStopped: Bool) async throws {
        let fixture = try await RecordingFixture.afterRecording(60)
        let gate = ScriptedGate()
        let url = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(url, .holdHead(gate))
        fixture.gates = [gate]
        try await fixture.pass(atMost: 20) {
            try await fixture.rows("video-1").contains { $0.state == .awaited && $0.url == url.description }
        }
        if isStopped { try await fixture.recordings?.stop(fixture.name) }
        fixture.live.library.origin.clearFaults(url)
        gate.open()
        try await fixture.end()
        try await fixture.check(through: url)
        #expect(try await fixture.gapCount() == 0)
        #expect(try await fixture.rows("video-1").last?.url == url.description)
        await fixture.close()
    }

    @Test func removalLeavesNoFiles() async throws {
        let fixture = try await RecordingFixture.opened { live in
            live.line = { _, isFirst in isFirst ? "#EXT-X-KEY:METHOD=AES-128,URI=\"/a.key\"\n" : "" }
        }
        fixture.live.library.origin[LiveOrigin.url("a.key")] = ScriptedResource(.bytes(Array(1...16)))
        fixture.live.seal = { bytes, _ in Array(bytes.prefix(736)) }
        try await fixture.record()
        try await fixture.pass(60)
        // There are partial bytes of a lost segment and of an awaited one.
        let lost = fixture.live.segment(fixture.live.next)
        fixture.live.library.origin.always(lost, .reset(after: 300))
        try await fixture.pass(150)
        fixture.live.library.origin.always(fixture.live.segment(fixture.live.next), .reset(after: 300))
        try await fixture.pass(12)
        #expect(try await fixture.gapCount() == 1)
        try await fixture.recordings?.remove(fixture.name)
        let left = try await fixture.store?.resources().filter { $0.isPinned || !$0.url.description.contains("m3u8") }
        #expect(left?.map(\.url.description) == [])
        await fixture.close()
        let files =
            FileManager.default.enumerator(atPath: fixture.live.library.folder)?.compactMap { $0 as? String } ?? []
        #expect(files.filter { $0.contains(".page") || $0.contains(".gone") || $0.contains("channels/") } == [])
    }

    enum Change: CaseIterable {
        case retention, programme, start, end

        func make(_ recordings: Recordings, _ name: ChannelName) async throws {
            switch self {
            case .retention: try await recordings.setRetention(Retention(segments: 1), of: name)
            case .programme:
                let from = Date(timeIntervalSince1970: 0)
                let programme = Programme(name: "Match", from: from, to: from.addingTimeInterval(60), formats: [])
                try await recordings.addProgramme(programme, to: name)
            case .start: try await recordings.start(name)
            case .end: try await recordings.end(name)
            }
        }
    }

    /// Changes to a channel are serialized, so none of them restores a channel that is being removed.
    @Test(arguments: Change.allCases) func changesWaitForRemoval(change: Change) async throws {
        let hold = DiskHold { $0 == .removing && $1.contains("/recordings/") }
        defer { hold.release() }
        let fixture = try await RecordingFixture.afterRecording(30, LiveOrigin(files: hold.files))
        let (recordings, name) = (try #require(fixture.recordings), fixture.name)
        hold.arm()
        let removal = Task { try await recordings.remove(name) }
        try await hold.reached()
        let made = Task { try await change.make(recordings, name) }
        // Enough steps for the change to overtake the removal, if that were possible.
        for _ in 0..<1000 { await Task.yield() }
        hold.release()
        try await removal.value
        let error = await #expect(throws: CacheError.self) { try await made.value }
        #expect(error?.code == .notFound)
        #expect(recordings.recording(name) == nil)
        await fixture.close()
        try await fixture.open()
        #expect(fixture.recordings?.recording(name) == nil)
        await fixture.close()
    }

    /// Changes to a channel don't wait for retention, which may take a long time. The channel's removal interrupts it.
    @Test(arguments: [Change.programme, .start, nil]) func changesDoNotWaitForRetention(change: Change?) async throws {
        let hold = DiskHold { $0 == .replacing && $1.contains("video-1.") && $1.contains(".gone") }
        defer { hold.release() }
        let fixture = try await RecordingFixture.afterRecording(60, LiveOrigin(files: hold.files))
        let (recordings, name) = (try #require(fixture.recordings), fixture.name)
        hold.arm()
        let retention = Task { try await recordings.setRetention(Retention(segments: 1), of: name) }
        try await hold.reached()
        if let change {
            try await change.make(recordings, name)
            hold.release()
        } else {
            let removal = Task { try await recordings.remove(name) }
            hold.release()
            try await removal.value
            #expect(recordings.recording(name) == nil)
        }
        try await retention.value
        if change != nil {
            let segments = try fixture.recording.timelines.map(\.totals.segments)
            #expect(segments == [1, 1])
        }
        await fixture.close()
    }

    /// The tracks of another selection would replace the recorded ones.
    @Test func rejectsAnotherSelection() async throws {
        let fixture = try await RecordingFixture.afterRecording(30)
        let error = await #expect(throws: CacheError.self) {
            try await fixture.record {
                $0.selection.variants = .worst
                $0.retention = Retention(seconds: 600)
            }
        }
        #expect(error?.code == .invalidSetting)
        #expect(error?.message.contains("delete the channel first") == true)
        let recording = try fixture.recording
        var channel = await recording.channel
        #expect(channel.selection.variants == .best && channel.retention == Retention())
        try await fixture.record { $0.retention = Retention(seconds: 600) }
        channel = await recording.channel
        #expect(channel.retention.seconds == 600)
        await fixture.close()
    }
}
