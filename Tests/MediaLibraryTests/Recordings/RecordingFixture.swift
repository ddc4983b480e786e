import Foundation
import HLS
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaLibrary

/// A recorder of a live origin in simulated time.
final class RecordingFixture {
    let live: LiveOrigin
    let name = ChannelName(rawValue: "one")!
    private(set) var store: CacheStore?
    private(set) var assetStore: AssetStore?
    private(set) var recordings: Recordings?
    private var listener: Task<Void, Never>?
    private let gaps = GapLog()
    private var idleSleepers = 0
    /// Whether a task of the recording may sleep until later than it recorded, because time passed while it was about
    /// to sleep.
    private var hasLateDeadline = false
    /// The length of a step in time. After each step, everything due has happened.
    var step = Duration.milliseconds(500)
    var encoder: (any MediaFileEncoder)?
    /// Whether work hangs intentionally. ``settle()`` then waits only briefly.
    var isHanging = false
    /// The gates of segment requests that hang intentionally. The fixture waits for all other work.
    var gates: [ScriptedGate] = []

    init(_ live: LiveOrigin = LiveOrigin()) { self.live = live }

    // MARK: - Life

    /// Returns an open recorder for a live origin, which `change` configures.
    static func opened(
        _ live: LiveOrigin = LiveOrigin(), _ change: (LiveOrigin) -> Void = { _ in }
    ) async throws -> RecordingFixture {
        change(live)
        let fixture = RecordingFixture(live)
        live.publish()
        try await fixture.open()
        return fixture
    }

    /// Returns a recorder that has recorded for a number of seconds.
    static func afterRecording(
        _ seconds: Double, _ live: LiveOrigin = LiveOrigin(), _ change: (LiveOrigin) -> Void = { _ in }
    ) async throws -> RecordingFixture {
        let fixture = try await opened(live, change)
        try await fixture.record()
        try await fixture.pass(seconds)
        return fixture
    }

    /// Opens the store and starts the recordings, as a new process does.
    func open(resuming: Bool = true) async throws {
        let store = try await live.library.open()
        let assetStore = AssetStore(of: store)
        let recordings = Recordings(
            store: store, assetStore: assetStore, loader: PlaylistLoader(store: store), encoder: encoder)
        let (gaps, mark) = (gaps, Self.mark)
        // Other events could fill the stream's buffer.
        let events = recordings.hub.stream { event in
            switch event {
            case .gap: true
            case .removed(let name): name == mark
            default: false
            }
        }
        listener = Task {
            for await event in events {
                switch event {
                case .gap(_, let track, _, let duration, let reason): gaps.add(track, duration, reason)
                case .removed(let name) where name == mark: gaps.addMark()
                default: break
                }
            }
        }
        // The store's maintenance task also sleeps.
        await live.library.time.waitForSleepers(1)
        idleSleepers = live.library.time.sleepers
        try await recordings.start(resuming: resuming)
        (self.store, self.assetStore, self.recordings) = (store, assetStore, recordings)
        await settle()
    }

    /// Closes the recordings and then the store.
    func close() async {
        await recordings?.stop()
        await listener?.value
        await store?.close()
        (store, recordings) = (nil, nil)
    }

    /// Closes the store first, as if the process had been killed.
    func crash() async {
        await store?.close()
        await close()
    }

    func record(_ change: (inout ChannelRequest) -> Void = { _ in }) async throws {
        var request = ChannelRequest(name: name, url: live.entry)
        change(&request)
        try await recordings?.add(request)
    }

    var recording: Recording {
        get throws { try #require(recordings?.recording(name)) }
    }

    /// The name of a channel that never exists. The event of its removal marks a position in the event stream.
    private static let mark = ChannelName(rawValue: "mark")!

    /// Waits until all events so far have been received.
    private func takeEvents() async {
        guard let hub = recordings?.hub else { return }
        let count = gaps.marks
        hub.send(.removed(Self.mark))
        while gaps.marks == count, !Task.isCancelled { await Task.yield() }
    }

    /// Returns the durations in seconds of the gaps reported for a track.
    func reportedGaps(_ track: String) -> [Double] { gaps.all(track).map(\.duration) }

    func reportedReasons(_ track: String) -> [String] { gaps.all(track).map(\.reason) }

    // MARK: - Time

    func pass(_ seconds: Double) async throws {
        let end = live.library.time.monotonic + .seconds(seconds)
        // Long times pass in longer steps.
        let step = seconds > 1000 ? step * 4 : step
        while live.library.time.monotonic < end {
            try Task.checkCancellation()
            live.library.time.advance(by: min(step, end - live.library.time.monotonic))
            live.publish()
            await settle()
        }
    }

    /// Waits until ``isSettled`` is true, however long, or the test is cancelled; if ``isHanging`` is true, gives up
    /// after 300 yields.
    func settle() async {
        var yields = 0
        while !Task.isCancelled, !isHanging || yields < 300 {
            await Task.yield()
            yields += 1
            if yields == 100_000 { hasLateDeadline = true }
            if await isSettled { return }
        }
    }

    /// Whether every task sleeps until something is due.
    var isSettled: Bool {
        get async {
            guard let recording = recordings?.recording(name) else { return true }
            let deadlines = live.library.time.deadlines
            let waiting = gates.reduce(0) { $0 + $1.waiting }
            guard await recording.isIdle(exceptLoads: live.held, fetches: waiting) else { return false }
            // The number of sleeping tasks includes other timers, so it isn't sufficient.
            if await recording.isAsleep(deadlines) {
                hasLateDeadline = false
            } else if !hasLateDeadline {
                return false
            }
            return deadlines.count >= idleSleepers + (await recording.isRunning ? 1 : 0) + (await recording.followers)
        }
    }

    /// Advances time until a condition is true. Records an issue if that takes longer than `seconds`.
    func pass(atMost seconds: Double, until condition: () async throws -> Bool) async throws {
        for _ in 0..<Int(seconds * 2) {
            if try await condition() { return }
            try await pass(0.5)
        }
        Issue.record("the condition wasn't met within \(seconds) s")
    }

    /// Ends the recording, and advances time as far as necessary.
    func end() async throws {
        let recordings = try #require(recordings)
        let recording = try recording
        let hasReturned = Mutex(false)
        let ended = Task { [name] in
            defer { hasReturned.withLock { $0 = true } }
            try await recordings.end(name)
        }
        while await recording.channel.endsAtOnce != true, !hasReturned.withLock({ $0 }) {
            try await Task.yieldUnlessCancelled()
        }
        // Lets requests in flight complete before their time limit passes.
        await settle()
        while await recording.state != .ended, !hasReturned.withLock({ $0 }) { try await pass(0.5) }
        try await ended.value
    }

    // MARK: - Recorded segments

    func rows(_ track: String) async throws -> [RecordedSegment] {
        let timeline = try #require(try recording.timelines.first { $0.track == track })
        return try await timeline.rows(from: 0)
    }

    /// Returns the stored bytes of a row.
    func bytes(_ row: RecordedSegment, _ track: String) async throws -> [UInt8] {
        let store = try #require(store)
        let request = try recording.part(row, track: track).request(settings: store.transfers.withoutOriginRequests)
        let session = try await store.read(request)
        defer { session.cancel() }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return bytes
    }

    /// Checks a track's recorded segments, which the origin publishes in `folder`.
    ///
    /// - Parameter isExpected: Returns whether a segment must be recorded; nil to check only recorded segments.
    func check(
        _ track: String = "video-1", in folder: String = "v1", isExpected: ((LiveOrigin.Published) -> Bool)? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let rows = try await rows(track)
        for (last, row) in zip(rows, rows.dropFirst()) {
            #expect(row.number == last.number + 1, sourceLocation: location)
            #expect(row.start >= last.end, "\(row.name) begins before its predecessor ends", sourceLocation: location)
        }
        #expect(!rows.contains { $0.state == .awaited }, sourceLocation: location)
        let published = live.published[folder] ?? []
        let numbers = Dictionary(published.enumerated().map { ($0.element.bytes, $0.offset) }) { first, _ in first }
        var recorded: [Int] = []
        for row in rows where row.state == .stored {
            let number = numbers[try await bytes(row, track)]
            if let number {
                recorded.append(number)
            } else {
                Issue.record("\(row.name) of \(row.url) has bytes that the origin never sent", sourceLocation: location)
            }
        }
        #expect(recorded == recorded.sorted(), "segments are out of order", sourceLocation: location)
        #expect(Set(recorded).count == recorded.count, "segments are recorded twice", sourceLocation: location)
        if let isExpected {
            let first = recorded.first ?? 0
            let now = live.library.time.monotonic + (live.hasEndList ? .seconds(100) : .zero)
            let expected = published.indices.filter {
                $0 >= first && isExpected(published[$0]) && live.wasListedLongEnough(published[$0], by: now)
            }
            let missing = Set(expected).subtracting(recorded).sorted().map { published[$0].url.target }
            #expect(missing == [], "segments are missing", sourceLocation: location)
        }
        let lost = rows.filter { $0.state == .gap }.reduce(0.0) { $0 + Double($1.duration) / 1e9 }
        await takeEvents()
        let reported = reportedGaps(track).reduce(0, +)
        #expect(abs(lost - reported) < 0.01, "gaps of \(lost) s, reported: \(reported) s", sourceLocation: location)
        checkRequests(location)
    }

    /// Checks that a track has every available segment and no gap.
    func checkComplete(
        _ track: String = "video-1", in folder: String = "v1", _ location: SourceLocation = #_sourceLocation
    ) async throws {
        try await check(track, in: folder, isExpected: { _ in true }, location)
        #expect(try await gapCount(track) == 0, sourceLocation: location)
    }

    /// Checks that the video track has every segment up to `last`, except `lost`.
    func check(through last: ResourceURL, without lost: ResourceURL? = nil) async throws {
        let end = try #require(live.published["v1"]?.last { $0.url == last }).at
        try await check { $0.at <= end && $0.url != lost }
    }

    /// Checks that no segment or key was completely received more often than it was published.
    func checkRequests(_ location: SourceLocation = #_sourceLocation) {
        var counts: [String: Int] = [:]
        for request in live.library.origin.requests where request.progress == .complete && request.status < 300 {
            guard request.url.target.contains(".ts") || request.url.target.contains(".key"), request.bodyBytes > 16 - 1
            else { continue }
            counts[request.url.description, default: 0] += 1
        }
        for (url, count) in counts {
            let versions = live.published.values.joined().count { $0.url.description == url }
            #expect(count <= max(1, versions), "\(url) was fetched \(count) times", sourceLocation: location)
        }
    }

    func gapCount(_ track: String = "video-1") async throws -> Int { try await rows(track).count { $0.state == .gap } }
}

private final class GapLog: Sendable {
    typealias Gap = (track: String, duration: Double, reason: String)
    private let gaps = Mutex<[Gap]>([])
    private let markCount = Mutex(0)

    var marks: Int { markCount.withLock { $0 } }

    func addMark() { markCount.withLock { $0 += 1 } }

    func add(_ track: String, _ duration: Double, _ reason: String) {
        gaps.withLock { $0.append((track, duration, reason)) }
    }

    func all(_ track: String) -> [Gap] { gaps.withLock { $0.filter { $0.track == track } } }
}

extension Recording {
    var followers: Int { tracks.count { $0.follows != nil } }

    /// Returns whether the recording's task and the tasks that follow its playlists sleep, except those that are
    /// loading.
    ///
    /// - Parameter deadlines: The deadlines of all sleeping tasks.
    func isAsleep(_ deadlines: [Duration]) -> Bool {
        var sleeps: [Duration?] = isRunning ? [sleepsUntil] : []
        for track in tracks where track.follows != nil && !track.isLoading { sleeps.append(track.sleepsUntil) }
        var rest = deadlines
        for until in sleeps {
            guard let until, let index = rest.firstIndex(of: until) else { return false }
            rest.remove(at: index)
        }
        return true
    }

    var folders: [String] { tracks.map(\.folder) }

    var followedURLs: [ResourceURL] { tracks.map(\.url) }

    /// Whether the playlist of any track has EXT-X-ENDLIST.
    var hasEndedTrack: Bool { tracks.contains { $0.endedSince != nil } }

    func take(_ update: MediaPlaylist, _ index: Int) async throws -> PlaylistReload.Outcome {
        try await take(update, tracks[index])
    }
}
