internal import Foundation
import HLS
internal import MediaCache
internal import Synchronization

/// One channel's recording: follows its playlists, fetches what they name, and keeps the timeline.
package actor Recording {
    struct Track {
        let folder: String
        var url: ResourceURL
        let timeline: Timeline
        var follower: TrackFollower
        /// What it took last, unless that was older than what is known.
        var taken: LoadedPlaylist?
        var follows: Task<Void, Never>?
        /// When its playlist couldn't be had, for how long and why.
        var trouble: (since: Duration, reason: String)?
        /// Since when its playlist says that nothing more comes.
        var endedSince: Duration?
        var isLoading = false
        /// Whether what its playlist names is being put into the timeline: it isn't awaited yet.
        var isTaking = false
        /// When its playlist last came.
        var loaded: Duration?
        /// When it came again after trouble.
        var recovered: Duration = .zero
        /// When something new was in it last.
        var renewed: Duration = .zero
        /// When the last segment of it came.
        var fetched: Duration?
        var queue = FetchQueue()
        /// How many are being fetched.
        var underWay = 0
        /// What is known of segments that are awaited.
        var awaited: [Int64: Awaited] = [:]

        var targetDuration: Duration { .seconds(max(1, follower.known?.targetDuration ?? 1)) }
    }

    /// A segment that is being fetched, or is to be.
    struct Awaited {
        var row: RecordedSegment
        /// When it was in the playlist last.
        var seen: Duration
        var isUnderWay = false
        var failures = 0
        /// When it failed first and last.
        var failed: ClosedRange<Duration>?
        /// Since when its origin has said that it isn't there.
        var absentSince: Duration?
        var reason = ""
    }

    /// A row of which it's known what became of it.
    struct Settled {
        var track: Int
        var row: RecordedSegment
        var reason: String
    }

    let work: RecordingWork
    /// What it's called on the disk.
    package nonisolated let id: RecordingID
    package private(set) var channel: Channel
    var tracks: [Track] = []
    /// The tracks' timelines, for those who read.
    nonisolated let shelf = Mutex<[Timeline]>([])
    let group: TransferGroup
    /// When segments begin, by their number at the origin: tracks without a clock share it.
    var shared: [Int: Int64] = [:]
    var settled: [Settled] = []
    var isFlushing = false
    var fetches: [Int: Task<Void, Never>] = [:]
    var nextFetch = 0
    /// Companions that are here, and those under way, by what they're kept as.
    var companions: [String: Task<Void, any Error>] = [:]
    var masterLoaded: Duration?
    private let changes = Turns()
    private var run: Task<Void, Never>?
    /// When it began to run.
    private var began: Duration = .zero
    private(set) var isRunning = false
    /// Whether it's over, and what came of it isn't in the timeline yet.
    private var isFinishing = false
    private(set) var isOpen = false
    var arrivals: [(at: Duration, bytes: Int64)] = []
    var prune: RetentionState = .init()
    var made = MadeWindows()
    private var lastState: RecordingState?
    private var troubleAtStart: String?

    init(_ channel: Channel, work: RecordingWork) {
        self.channel = channel
        self.work = work
        id = channel.id
        group = TransferGroup(name: "recording \(channel.name)")
    }

    /// The tracks' timelines.
    package nonisolated var timelines: [Timeline] { shelf.withLock { $0 } }

    /// Now, in nanoseconds since 1970.
    var now: Int64 { work.store.now.nanosecondsSinceEpoch }

    /// Whether nothing is under way at the moment.
    var isQuiet: Bool { fetches.isEmpty && settled.isEmpty && !isFlushing && !tracks.contains(where: \.isLoading) }

    var monotonic: Duration { work.store.time.monotonic }

    // MARK: - Life

    /// Reads what was recorded before.
    ///
    /// - Throws: `CacheError` with `storage`.
    func open() async throws {
        guard !isOpen else { return }
        isOpen = true
        for track in channel.tracks { try await add(track) }
    }

    /// One track's timeline, and a follower that goes on from its end.
    private func add(_ track: Channel.Track) async throws {
        let timeline = try await Timeline.open(track: track.folder, of: channel.id, in: work.place)
        let (follower, _) = try await follower(of: timeline)
        tracks.append(
            Track(folder: track.folder, url: try ResourceURL(track.url), timeline: timeline, follower: follower))
        shelf.withLock { $0.append(timeline) }
    }

    /// Begins to record, or goes on.
    func start() {
        guard run == nil, !channel.hasEnded else { return }
        isRunning = true
        began = monotonic
        // What was seen before it was stopped may be of another time.
        for index in tracks.indices {
            tracks[index].trouble = nil
            tracks[index].endedSince = nil
            tracks[index].loaded = nil
            tracks[index].taken = nil
            tracks[index].renewed = monotonic
        }
        run = Task { await self.record() }
        tellState()
    }

    /// Stops: when this returns no task and no timer of it is left, and what was fetched is in the timeline.
    func stop() async {
        isRunning = false
        run?.cancel()
        await run?.value
        run = nil
        await endTasks()
        for index in tracks.indices {
            tracks[index].awaited = [:]
            tracks[index].queue = FetchQueue()
        }
        // Shielded from the cancellation of whoever stops it.
        await Task { await self.flush() }.value
        tellState()
    }

    /// Returns when nothing follows or fetches any more.
    private func endTasks() async {
        for track in tracks { track.follows?.cancel() }
        for fetch in fetches.values { fetch.cancel() }
        for index in tracks.indices {
            await tracks[index].follows?.value
            tracks[index].follows = nil
        }
        while let fetch = fetches.values.first { await fetch.value }
        companions = [:]
    }

    private func record() async {
        for track in tracks { try? await track.timeline.finishGivingUp() }
        resume()
        var wait = Duration.milliseconds(500)
        while !Task.isCancelled, tracks.isEmpty, !isPastEnd {
            do {
                try await findTracks()
                troubleAtStart = nil
            } catch {
                troubleAtStart = "\(error)"
                tellState()
                guard (try? await work.store.time.sleep(for: wait)) != nil else { return }
                wait = min(wait * 2, .seconds(10))
            }
        }
        follow()
        while !Task.isCancelled {
            fetchMore()
            expire()
            await flush()
            await applyRetentionInTime()
            await exportWhatIsOver()
            tellState()
            if isOver {
                await finish()
                return
            }
            guard (try? await work.store.time.sleep(for: .milliseconds(500))) != nil else { return }
        }
    }

    private func follow() {
        // Who stops it before it has begun waits for what follows, and has cancelled that already.
        guard isRunning else { return }
        for index in tracks.indices where tracks[index].follows == nil {
            tracks[index].follows = Task { await self.follow(index) }
        }
    }

    // MARK: - What is recorded

    /// The tracks by the stream's own playlist.
    func findTracks() async throws {
        let url = try ResourceURL(channel.url)
        masterLoaded = monotonic
        let settings = try settings(for: url)
        // What it redirected to may be over with the links.
        work.store.forgetRedirect(of: ReadRequest(url: url, settings: settings))
        guard
            let playlist = try await work.loader.load(
                url, settings: settings, transferClass: .recording, isFresh: true)
        else { throw CacheError(.notMedia, "\(url) isn't a playlist: only streams are recorded") }
        let made = try ChannelEntry.make(of: playlist, selection: channel.selection, known: channel.tracks)
        guard !Task.isCancelled else { return }
        try await change { channel in
            channel.tracks = made.tracks
            channel.variables = made.variables.isEmpty ? nil : made.variables
            if !made.text.isEmpty { channel.entry = made.text }
        }
        for track in made.tracks {
            if let index = tracks.firstIndex(where: { $0.folder == track.folder }) {
                tracks[index].url = try ResourceURL(track.url)
            } else {
                try await add(track)
            }
        }
        if run != nil, isRunning { follow() }
    }

    func settings(for url: ResourceURL) throws -> TransferSettings {
        var settings = try work.settings(url, channel.identity, channel.headers)
        settings.keepsNoStore = true
        // What follows tries again by itself, and what it asks for is soon over.
        settings.retries.budget = min(settings.retries.budget, 1)
        return settings
    }

    /// Changes what is known of the channel, durably. One change at a time: none is lost to another.
    func change(_ change: @Sendable (inout Channel) -> Void) async throws {
        try await changes.take {
            var changed = channel
            change(&changed)
            guard changed != channel else { return }
            try await work.keep(changed)
            channel = changed
        }
    }

    // MARK: - Ends

    private static let leastVerification = Duration.seconds(10)
    /// A track whose playlist has been away for so long has ended with the others.
    private static let absencePatience = Duration.seconds(60)

    /// Whether nothing more is to be recorded.
    var isPastEnd: Bool { channel.endsAt.map { work.store.now >= $0 } ?? false }

    /// Whether the time is over, or every playlist says so for long enough to be believed.
    private var isOver: Bool {
        if let end = channel.endsAt, isPastEnd {
            // What its playlists named by then may still come.
            return tracks.allSatisfy { $0.awaited.isEmpty && !$0.isTaking }
                || work.store.now.timeIntervalSince(end) >= Self.leastVerification.seconds
                    && monotonic - began >= Self.leastVerification
        }
        guard channel.endsWithStream, tracks.contains(where: { $0.endedSince != nil }) else { return false }
        let now = monotonic
        return tracks.allSatisfy { track in
            guard let since = track.endedSince else {
                return track.trouble.map { now - $0.since >= Self.absencePatience } ?? false
            }
            return track.awaited.isEmpty && !track.isTaking
                && now - since >= max(track.targetDuration * 3, Self.leastVerification)
        }
    }

    /// The recording is over: what is awaited still is lost.
    private func finish() async {
        isRunning = false
        // Who follows it goes on till it's known what was lost.
        isFinishing = true
        await endTasks()
        await settleAsEnded()
        isFinishing = false
        tellState()
    }

    /// Sets the present as its end, whether it runs or not.
    func setEnd() async throws {
        let now = work.store.now
        try await change {
            $0.endsAt = min($0.endsAt ?? now, now)
            $0.isWanted = true
        }
    }

    /// Returns when nothing of it runs any more.
    func runOut() async { await run?.value }

    private func settleAsEnded() async {
        for index in tracks.indices { lose(index, "the recording ended before it came") { _ in true } }
        await flush()
        // On a disk that was full for a moment.
        for _ in 0..<20 where !settled.isEmpty {
            guard (try? await work.store.time.sleep(for: .milliseconds(500))) != nil else { break }
            await flush()
        }
        // What couldn't be written down would be awaited for good: it ends with its next start.
        guard settled.isEmpty else { return }
        try? await change {
            $0.hasEnded = true
            $0.isWanted = false
        }
        // Whoever is told finds the asset.
        await work.ended(self)
        await exportWhatIsOver()
        tellState()
    }

    // MARK: - What is told

    func tellState() {
        let state = state
        guard state != lastState else { return }
        lastState = state
        work.events.send(.state(channel.name, state))
    }

    var state: RecordingState {
        if channel.hasEnded { return .ended }
        if isFinishing { return lastState ?? .recording }
        guard isRunning else { return .stopped }
        if let troubleAtStart { return .waiting(troubleAtStart) }
        if tracks.isEmpty { return .starting }
        let now = monotonic
        let patience = Duration.seconds(3 * max(2, tracks.compactMap { $0.follower.known?.targetDuration }.max() ?? 2))
        for track in tracks {
            if let trouble = track.trouble, now - trouble.since > patience { return .waiting(trouble.reason) }
        }
        if tracks.allSatisfy({ $0.loaded != nil && now - $0.renewed > max(patience, .seconds(30)) }) {
            return .waiting("there is nothing new in its playlists")
        }
        return tracks.contains { $0.loaded == nil } ? .starting : .recording
    }

    /// When what every track has ends, in nanoseconds since 1970.
    package var edge: Int64? { timelines.compactMap(\.edgeTime).min() }

    /// What is known of it at this moment.
    func status() -> RecordingStatus {
        let totals = timelines.map(\.totals)
        let kept = kept()
        let now = monotonic
        arrivals.removeAll { now - $0.at > .seconds(20) }
        var channel = channel
        channel.programmes = channel.programmes.map(work.exports.current)
        return RecordingStatus(
            channel: channel, state: state, edge: edge.map { Date(nanosecondsSinceEpoch: $0) },
            kept: kept.map { Date(nanosecondsSinceEpoch: $0.lowerBound)..<Date(nanosecondsSinceEpoch: $0.upperBound) },
            bytes: totals.reduce(0) { $0 + $1.bytes }, segments: totals.reduce(0) { $0 + $1.segments },
            gaps: totals.reduce(0) { $0 + $1.gaps },
            gapSeconds: Double(totals.map(\.gapDuration).max() ?? 0) / 1e9,
            rate: Double(arrivals.reduce(0) { $0 + $1.bytes }) / 20, tracks: timelines.map(\.track))
    }
}
