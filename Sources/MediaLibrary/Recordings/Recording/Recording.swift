internal import Foundation
import HLS
internal import MediaCache
internal import Synchronization

/// One channel's recording: follows its playlists, fetches what they name, and keeps the timeline.
package actor Recording {
    struct Track {
        let folder: String
        /// The URLs of the redundant copies of its playlist, in order of preference.
        var urls: [ResourceURL]
        /// The index in ``urls`` of the copy that is followed.
        var copy = 0
        /// When that copy was chosen.
        var chosen: Duration = .zero
        /// Whether no playlist of that copy has been joined to what is recorded yet.
        var isJoining = false
        /// The number of copies that failed in succession.
        var failedCopies = 0
        /// The scope of what named ``urls``.
        var scope: AddressScope
        let timeline: Timeline
        var follower: TrackFollower
        /// What it took last, unless that was older than what is known.
        var taken: LoadedPlaylist?
        var follows: Task<Void, Never>?
        /// When its playlist couldn't be had, for how long and why.
        var trouble: (since: Duration, reason: String)?
        /// Since when its origin has answered without a break that there is no such playlist.
        var goneSince: Duration?
        /// Since when its playlist says that nothing more comes.
        var endedSince: Duration?
        /// Whether the stream's own playlist named it when that was loaded last.
        var isNamed = true
        var isLoading = false
        /// Whether the origin refused delivery directives, and nothing new has come since.
        var refusesDirectives = false
        /// Whether what its playlist names is being put into the timeline: it isn't awaited yet.
        var isTaking = false
        /// When its playlist last came.
        var loaded: Duration?
        /// When it came again after trouble.
        var recovered: Duration = .zero
        /// When something new was in it last.
        var renewed: Duration = .zero
        /// Whether it has had new segments since it was first loaded.
        var hasChanged = false
        /// When the last segment of it came.
        var fetched: Duration?
        /// When the first segment failed since one arrived; nil if none has.
        var failing: Duration?
        /// When the last-requested of the segments that arrived had been requested.
        var overtaking: Duration?
        /// The greatest number of the segments that were completed since ``Recording/expire()`` looked last.
        var completed: Int64?
        var queue = FetchQueue()
        /// How many are being fetched.
        var underWay = 0
        /// What an earlier process awaited, until its playlist has told which names still mean the same.
        var resumed: (numbers: [Int64], since: Duration)?
        /// The segments that are being fetched, or are to be.
        var awaited = AwaitedSegments()

        /// The URL of the copy that is followed.
        var url: ResourceURL { urls[copy] }
        var targetDuration: Duration { .seconds(max(1, follower.known?.targetDuration ?? 1)) }
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
    /// The clock by which segments get old.
    nonisolated let age: Mutex<AgeClock>
    var settled: [Settled] = []
    var isFlushing = false
    var fetches: [Int: Task<Void, Never>] = [:]
    var nextFetch = 0
    /// Companions that are here, under way or have failed, by what they're kept as.
    var companions: [String: Companion] = [:]
    var masterLoaded: Duration?
    /// Whether the tracks are being looked for: one load at a time adds tracks.
    private var isFindingTracks = false
    private let changes = Turns()
    private var run: Task<Void, Never>?
    /// Since when nothing more is followed, since its end has passed.
    private var pastEnd: Duration?
    private(set) var isRunning = false
    /// Whether it's over, and what came of it isn't in the timeline yet.
    var isFinishing = false
    private(set) var isOpen = false
    var arrivals: [(at: Duration, bytes: Int64)] = []
    var prune: RetentionState = .init()
    var made = MadeWindows()
    var lastState: RecordingState?
    var troubleAtStart: String?

    /// Whether the known tracks are from another URL than the channel's.
    private var hasOtherURL: Bool

    /// Creates a recording that isn't open yet.
    ///
    /// - Parameter hasOtherURL: whether the channel's tracks were found at another URL than its own.
    init(_ channel: Channel, work: RecordingWork, hasOtherURL: Bool = false) {
        self.channel = channel
        self.hasOtherURL = hasOtherURL
        self.work = work
        id = channel.id
        age = Mutex(AgeClock(work.store.now.nanosecondsSinceEpoch, at: work.store.time.monotonic))
        group = TransferGroup(name: "recording \(channel.name)")
    }

    /// The tracks' timelines.
    package nonisolated var timelines: [Timeline] { shelf.withLock { $0 } }

    /// Now, in nanoseconds since 1970.
    var now: Int64 { work.store.now.nanosecondsSinceEpoch }

    /// Whether nothing is under way at the moment but a number of loads of playlists, and of fetches at most.
    func isQuiet(but loads: Int = 0, fetches hanging: Int = 0) -> Bool {
        fetches.count <= hanging && settled.isEmpty && !isFlushing && !isFinishing
            && tracks.count(where: \.isLoading) == loads
    }

    var monotonic: Duration { work.store.time.monotonic }

    // MARK: - Life

    /// Reads what was recorded before.
    ///
    /// - Throws: `CacheError` with `storage`.
    func open() async throws {
        guard !isOpen else { return }
        isOpen = true
        for track in channel.tracks { try await add(track) }
        let last = timelines.compactMap { $0.last?.arrival }.max()
        let clock = AgeClock(max(now, last ?? .min), at: monotonic)
        age.withLock { $0 = clock }
    }

    /// One track's timeline, and a follower that goes on from its end.
    private func add(_ track: Channel.Track) async throws {
        let timeline = try await Timeline.open(track: track.folder, of: channel.id, in: work.place)
        let (follower, _) = try await follower(of: timeline)
        let urls = try track.urls
        tracks.append(
            Track(
                folder: track.folder, urls: urls, isJoining: urls.count > 1,
                scope: track.scope ?? scope(ofUnknown: urls[0]), timeline: timeline, follower: follower,
                isNamed: track.namedUntil == nil, hasChanged: timeline.next > 0))
        shelf.withLock { $0.append(timeline) }
    }

    /// Begins to record, or goes on.
    func start() {
        guard run == nil, !channel.hasEnded else { return }
        isRunning = true
        pastEnd = nil
        // What was seen before it was stopped may be of another time.
        for index in tracks.indices {
            tracks[index].trouble = nil
            tracks[index].goneSince = nil
            tracks[index].endedSince = nil
            tracks[index].loaded = nil
            tracks[index].taken = nil
            tracks[index].failing = nil
            tracks[index].overtaking = nil
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
            tracks[index].awaited = AwaitedSegments()
            tracks[index].queue = FetchQueue()
        }
        // Shielded from the cancellation of whoever stops it.
        await Task {
            await self.flush()
            await self.exportWhatIsOver()
        }.value
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
        if hasOtherURL, !tracks.isEmpty {
            hasOtherURL = false
            // The tracks' links may still be valid where this fails.
            try? await findTracks()
        }
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
            await endHangingRequests()
            expire()
            await flush()
            await applyRetentionInTime()
            await exportWhatIsOver()
            await noteEndList()
            tellState()
            if isOver() {
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

    /// Updates the tracks by the stream's own playlist. Returns at once while that is under way already.
    func findTracks() async throws {
        guard !isFindingTracks else { return }
        isFindingTracks = true
        defer { isFindingTracks = false }
        let url = try ResourceURL(channel.url)
        masterLoaded = monotonic
        let settings = try settings(for: url)
        // What it redirected to may be over with the links.
        work.store.forgetRedirect(of: ReadRequest(url: url, settings: settings))
        guard
            let playlist = try await work.loader.load(
                url, scope: .any, settings: settings, transferClass: .recording, isFresh: true)
        else { throw CacheError(.notMedia, "\(url) isn't a playlist: only streams are recorded") }
        let made = try ChannelEntry.make(
            of: playlist, selection: channel.selection, known: channel.tracks, entry: channel.entry)
        guard !Task.isCancelled else { return }
        let present = Date(nanosecondsSinceEpoch: present)
        try await change { channel in
            let known = channel.tracks
            channel.tracks = made.tracks.map { track in
                var track = track
                let earlier = known.first { $0.folder == track.folder }
                track.namedSince = earlier == nil ? present : earlier?.namedSince
                track.namedUntil = made.named.contains(track.folder) ? nil : earlier?.namedUntil ?? present
                return track
            }
            channel.variables = made.variables.isEmpty ? nil : made.variables
            if !made.text.isEmpty { channel.entry = made.text }
        }
        for track in channel.tracks {
            if let index = tracks.firstIndex(where: { $0.folder == track.folder }) {
                tracks[index].isNamed = track.namedUntil == nil
                tracks[index].urls = try track.urls
                tracks[index].copy %= tracks[index].urls.count
                tracks[index].scope = track.scope ?? scope(ofUnknown: tracks[index].url)
            } else {
                try await add(track)
            }
        }
        if run != nil, isRunning { follow() }
    }

    /// The scope of a URL in a record that doesn't say what named it.
    func scope(ofUnknown url: ResourceURL) -> AddressScope { AddressScope(ofUnknownNamerOf: url, besides: channel.url) }

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

    static let leastVerification = Duration.seconds(10)
    /// The time after which a track without new segments has ended, and segments of a playlist that is gone are given up.
    static let absencePatience = Duration.seconds(60)
    /// The time after which a playlist that is gone has ended, and for which a stream that has ended waits for the rest of
    /// its segments while its origin is away.
    static let endPatience = Duration.seconds(300)

    /// How many target durations a stream is followed beyond its end, and how much longer, until it has come so far: playlists
    /// are 20 to 60 s late, by the segments that an encoder and a content delivery network hold. A stream that is later than
    /// that has another clock, and would never come there.
    private static let lateTargets = 3
    private static let lateness = Duration.seconds(60)

    /// Whether nothing more is to be followed: its end has passed, and every track has come so far.
    var isPastEnd: Bool {
        guard let end = channel.endsAt?.nanosecondsSinceEpoch, now >= end else { return false }
        if channel.endsAtOnce == true { return true }
        let target = tracks.map(\.targetDuration).max() ?? .zero
        if now >= end.clampedSum((target * Self.lateTargets + Self.lateness).nanoseconds) { return true }
        let silent = silentTracks
        let last = tracks.filter { !silent.contains($0.folder) }.map { $0.timeline.last?.end ?? .min }
        return last.min().map { $0 >= end } ?? false
    }

    /// Whether the time is over, or every playlist says so for long enough to be believed.
    private func isOver() -> Bool {
        if isPastEnd {
            let since = pastEnd ?? monotonic
            pastEnd = since
            // What its playlists named by then may still come.
            return tracks.allSatisfy { $0.awaited.isEmpty && !$0.isTaking }
                || monotonic - since >= Self.leastVerification
        }
        if channel.endsWhenUnchanged == true, isUnchanged { return true }
        guard channel.endsWithStream else { return false }
        if channel.hasEndList == true, !tracks.isEmpty, tracks.allSatisfy({ $0.loaded == nil && isAway($0) }) {
            // The origin has been away since this process started.
            return true
        }
        return hasStreamEnded && tracks.allSatisfy { isAway($0) || isUnchanged($0) }
    }

    /// Whether a track's playlist has failed for so long, without a segment arriving, that a stream that has ended no longer
    /// waits for it.
    private func isAway(_ track: Track) -> Bool {
        guard let trouble = track.trouble else { return false }
        return monotonic - max(trouble.since, track.fetched ?? trouble.since) >= Self.endPatience
    }

    /// Records durably whether the stream has ended: the next process may find its origin away.
    private func noteEndList() async {
        let hasEnded = hasStreamEnded
        guard hasEnded || tracks.contains(where: { $0.loaded != nil }), hasEnded != (channel.hasEndList == true) else {
            return
        }
        try? await change { $0.hasEndList = hasEnded ? true : nil }
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
        guard settled.isEmpty else {
            run = nil
            return
        }
        try? await change {
            $0.hasEnded = true
            $0.isWanted = false
        }
        // Whoever is told finds the asset.
        await work.ended(self)
        await exportWhatIsOver()
        tellState()
    }
}
