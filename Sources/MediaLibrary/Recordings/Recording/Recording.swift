internal import Foundation
import HLS
internal import MediaCache
internal import Synchronization

/// A recording of one channel. It follows the channel's playlists, fetches their segments and maintains the timelines.
package actor Recording {
    let dependencies: RecordingDependencies
    package nonisolated let id: RecordingID
    package private(set) var channel: Channel
    var tracks: [RecordedTrack] = []
    /// The tracks' timelines, readable without the actor.
    nonisolated let timelineList = Mutex<[Timeline]>([])
    let group: TransferGroup
    nonisolated let age: Mutex<AgeClock>
    var settled: [Settled] = []
    var isFlushing = false
    var fetches: [Int: Task<Void, Never>] = [:]
    var nextFetch = 0
    /// The keys and media initialization sections that are cached, in flight or failed, by cache key.
    var companions: [String: Companion] = [:]
    var masterLoaded: Duration?
    /// Whether tracks are being updated or added. A concurrent update could add a track twice.
    private var isFindingTracks = false
    /// The time of the next attempt to add missing tracks, and its delay; nil unless the last one failed.
    private var nextAddition: (at: Duration, delay: Duration)?
    private let changes = ConcurrencyLimit()
    private var run: Task<Void, Never>?
    /// The time since which the recording has been past its end.
    private var pastEnd: Duration?
    private(set) var isRunning = false
    /// The time until which the recording's task sleeps or has slept, by which tests find out whether it sleeps.
    private(set) var sleepsUntil: Duration?
    /// Whether the recording has ended but its last segments aren't in the timeline yet.
    var isFinishing = false
    var arrivals: [(at: Duration, bytes: Int64)] = []
    let cleaner: RetentionCleaner
    var windowPlaylists = WindowPlaylistCache()
    var lastState: RecordingState?
    var startFailure: String?
    /// The reason why the recording gave up; nil unless its URL isn't a stream.
    private(set) var refusal: String?

    /// Whether the tracks were found at a different URL than the channel's current one.
    private var hasOtherURL: Bool

    init(_ channel: Channel, dependencies: RecordingDependencies, hasOtherURL: Bool = false) {
        self.channel = channel
        self.hasOtherURL = hasOtherURL
        self.dependencies = dependencies
        id = channel.id
        cleaner = RetentionCleaner(
            recordingStore: dependencies.recordingStore, freeSpace: dependencies.freeSpace,
            time: dependencies.store.time)
        age = Mutex(AgeClock(dependencies.store.now.nanosecondsSinceEpoch, at: dependencies.store.time.monotonic))
        group = TransferGroup(name: "recording \(channel.name)")
    }

    package nonisolated var timelines: [Timeline] { timelineList.withLock { $0 } }

    /// The wall clock's time in nanoseconds since 1970.
    var now: Int64 { dependencies.store.now.nanosecondsSinceEpoch }

    /// Returns whether tests may go on: there are exactly `loads` loads, at most `hanging` fetches, and no other work.
    func isIdle(exceptLoads loads: Int = 0, fetches hanging: Int = 0) -> Bool {
        fetches.count <= hanging && settled.isEmpty && !isFlushing && !isFinishing
            && tracks.count(where: \.isLoading) == loads
    }

    var monotonic: Duration { dependencies.store.time.monotonic }

    // MARK: - Starting and stopping

    /// Opens the timelines of earlier processes. Called once. The recording retries those that can't be opened.
    func open() async throws {
        defer {
            let last = timelines.compactMap { $0.last?.arrival }.max()
            let clock = AgeClock(max(now, last ?? .min), at: monotonic)
            age.withLock { $0 = clock }
        }
        try await addMissingTracks()
    }

    /// Whether the channel has tracks whose timelines couldn't be opened yet.
    private var lacksTracks: Bool { channel.tracks.contains { !isAdded($0) } }

    private func isAdded(_ track: Channel.Track) -> Bool { tracks.contains { $0.folder == track.folder } }

    /// Adds the channel's missing tracks. Throws the first error after all were tried.
    private func addMissingTracks() async throws {
        var failure: (any Error)?
        for track in channel.tracks where !isAdded(track) {
            do { try await add(track) } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
    }

    /// Opens a track's timeline and creates a follower that continues from its end.
    private func add(_ track: Channel.Track) async throws {
        let timeline = try await Timeline.open(track: track.folder, of: channel.id, in: dependencies.recordingStore)
        let (follower, _) = try await follower(of: timeline)
        let urls = try track.urls
        if isRunning { try? await timeline.finishRemoval() }
        let added = RecordedTrack(
            timeline: timeline, follower: follower, urls: urls,
            scope: track.scope ?? scope(ofUnknown: urls[0]), isNamed: track.namedUntil == nil)
        if isRunning { added.resume(at: monotonic) }
        tracks.append(added)
        timelineList.withLock { $0.append(timeline) }
    }

    /// The maximum delay between attempts to add missing tracks.
    private static let maximumAdditionDelay = Duration.seconds(60)

    /// Tries again to add the tracks that couldn't be added, since the disk may have failed only temporarily. The delay
    /// doubles after each failure. The first one is logged.
    private func retryMissingTracks() async {
        guard lacksTracks, !isFindingTracks, nextAddition.map({ monotonic >= $0.at }) ?? true else { return }
        isFindingTracks = true
        defer { isFindingTracks = false }
        do {
            try await addMissingTracks()
            nextAddition = nil
        } catch {
            if nextAddition == nil {
                dependencies.store.logWarning(
                    "the recording \(channel.name) continues without tracks that can't be opened", error: error)
            }
            let delay = nextAddition.map { min($0.delay * 2, Self.maximumAdditionDelay) } ?? .milliseconds(500)
            nextAddition = (monotonic + delay, delay)
        }
        follow()
    }

    /// Starts or resumes recording. Does nothing if the recording is running or has ended.
    func start() {
        guard run == nil, !channel.hasEnded else { return }
        isRunning = true
        sleepsUntil = nil
        pastEnd = nil
        nextAddition = nil
        (startFailure, refusal) = (nil, nil)
        for track in tracks { track.restart(at: monotonic) }
        run = Task { await self.record() }
        reportState()
    }

    /// Stops the recording. On return, no task or timer is left, and the fetched segments are in the timeline.
    func stop() async {
        isRunning = false
        run?.cancel()
        await run?.value
        run = nil
        await endTasks()
        for track in tracks { track.forgetAwaitedSegments() }
        // A separate task, so that cancelling the caller doesn't interrupt it.
        await Task {
            await self.flush()
            await self.exportFinishedProgrammes()
        }.value
        reportState()
    }

    /// Cancels all loads and fetches, and waits until they have ended.
    private func endTasks() async {
        for track in tracks { track.follows?.cancel() }
        for fetch in fetches.values { fetch.cancel() }
        for track in tracks {
            await track.follows?.value
            track.follows = nil
        }
        while let fetch = fetches.values.first { await fetch.value }
        companions = [:]
    }

    private func record() async {
        for track in tracks { try? await track.timeline.finishRemoval() }
        for track in tracks { track.resume(at: monotonic) }
        if hasOtherURL, !tracks.isEmpty {
            hasOtherURL = false
            // The known links may still be valid if this fails.
            try? await findTracks()
        }
        var wait = Duration.milliseconds(500)
        var pagesBegan: Duration?
        while !Task.isCancelled, tracks.isEmpty, !isPastEnd {
            do {
                try await findTracks()
                startFailure = nil
            } catch {
                startFailure = "\(error)"
                if isDefinitive(error, pagesBegan: &pagesBegan) {
                    giveUp()
                    return
                }
                reportState()
                guard await pause(for: wait) else { return }
                wait = min(wait * 2, .seconds(10))
            }
        }
        // Tracks that couldn't be added don't prevent the others from being recorded.
        if !tracks.isEmpty { startFailure = nil }
        follow()
        while !Task.isCancelled {
            await retryMissingTracks()
            fetchMore()
            await endHangingRequests()
            expire()
            await flush()
            await applyRetentionPeriodically()
            await exportFinishedProgrammes()
            await noteEndList()
            reportState()
            if isOver() {
                await finish()
                return
            }
            guard await pause(for: .milliseconds(500)) else { return }
        }
    }

    /// Sleeps in the recording's task. Returns false if the task was cancelled.
    private func pause(for duration: Duration) async -> Bool {
        sleepsUntil = monotonic + duration
        return (try? await dependencies.store.time.sleep(for: duration)) != nil
    }

    /// The time after which a channel that was never recorded gives up if all responses are web pages. Origins send
    /// error pages before a stream begins.
    private static let pageLimit = Duration.seconds(300)

    /// Returns whether retrying can't help, because the channel's URL was never a playlist.
    ///
    /// - Parameter pagesBegan: The time of the first of consecutive responses without a playlist, which the function
    ///   updates.
    private func isDefinitive(_ error: any Error, pagesBegan: inout Duration?) -> Bool {
        // A live download is only started if its URL is a playlist.
        guard let error = error as? CacheError, error.code == .notMedia, channel.tracks.isEmpty,
            channel.endsWhenUnchanged != true
        else {
            pagesBegan = nil
            return false
        }
        let began = pagesBegan ?? monotonic
        pagesBegan = began
        return error.isByRule || monotonic - began >= Self.pageLimit
    }

    /// Stops a recording that can't start. The next start tries again.
    private func giveUp() {
        isRunning = false
        run = nil
        refusal = startFailure
        reportState()
    }

    private func follow() {
        // `stop()` has cancelled the tasks that exist. A task started now would outlive it.
        guard isRunning else { return }
        for track in tracks where track.follows == nil {
            track.sleepsUntil = nil
            track.follows = Task { await self.follow(track) }
        }
    }

    // MARK: - Tracks

    /// Updates the tracks from the channel's playlist. Returns immediately if an update is in flight.
    func findTracks() async throws {
        guard !isFindingTracks else { return }
        isFindingTracks = true
        defer { isFindingTracks = false }
        let url = try ResourceURL(channel.url)
        masterLoaded = monotonic
        let settings = try settings()
        // The redirect's target may have expired with the links.
        dependencies.store.forgetRedirect(of: ReadRequest(url: url, settings: settings))
        guard
            let playlist = try await dependencies.loader.load(
                url, scope: .any, settings: settings, transferClass: .recording, isFresh: true)
        else {
            var error = CacheError(.notMedia, "\(url) isn't a playlist; only HLS streams can be recorded")
            error.isByRule = true
            throw error
        }
        let source = try ChannelEntry.make(
            of: playlist, selection: channel.selection, known: channel.tracks, entry: channel.entry)
        guard !Task.isCancelled else { return }
        let streamTime = Date(nanosecondsSinceEpoch: streamTime)
        try await change { channel in
            let known = channel.tracks
            channel.tracks = source.tracks.map { track in
                var track = track
                let earlier = known.first { $0.folder == track.folder }
                track.namedSince = earlier == nil ? streamTime : earlier?.namedSince
                track.namedUntil = source.named.contains(track.folder) ? nil : earlier?.namedUntil ?? streamTime
                return track
            }
            channel.variables = source.variables.isEmpty ? nil : source.variables
            if !source.text.isEmpty { channel.entry = source.text }
        }
        for track in channel.tracks {
            guard let known = tracks.first(where: { $0.folder == track.folder }) else { continue }
            known.isNamed = track.namedUntil == nil
            known.follow(oneOf: try track.urls, at: monotonic)
            known.scope = track.scope ?? scope(ofUnknown: known.url)
        }
        try await addMissingTracks()
        if run != nil, isRunning { follow() }
    }

    /// Returns the address scope of a URL that was stored without one.
    func scope(ofUnknown url: ResourceURL) -> AddressScope { AddressScope(forStoredURL: url, userURL: channel.url) }

    /// Returns the transfer settings. The channel's header fields apply only to the origin of its URL.
    func settings() throws -> TransferSettings {
        var settings = try dependencies.settings(try ResourceURL(channel.url), channel.identity, channel.headers)
        settings.storesNoStoreResponses = true
        // The recording schedules its own retries, since the origin soon removes segments.
        settings.retries.budget = min(settings.retries.budget, 1)
        return settings
    }

    /// Changes the channel's record durably. Changes are serialized.
    func change(_ change: @Sendable (inout Channel) -> Void) async throws {
        try await changes.runUncancelled {
            var changed = channel
            change(&changed)
            guard changed != channel else { return }
            try await dependencies.save(changed)
            channel = changed
        }
    }

    // MARK: - Ending

    /// The number of target durations, plus an additional time, for which a stream is followed after the recording's
    /// end if its segments haven't reached that end yet. Encoders and content delivery networks buffer segments. A
    /// stream that lags more has a different clock, and might never reach the end.
    private static let lateTargets = 3
    private static let lateness = Duration.seconds(60)

    /// Whether the recording's end has passed, and every track has reached it or isn't expected to any more.
    var isPastEnd: Bool {
        guard let end = channel.endsAt?.nanosecondsSinceEpoch, now >= end else { return false }
        if channel.endsAtOnce == true { return true }
        let target = tracks.map(\.targetDuration).max() ?? .zero
        if now >= end.clampedSum((target * Self.lateTargets + Self.lateness).nanoseconds) { return true }
        let silent = silentTracks
        let last = tracks.filter { !silent.contains($0.folder) }.map { $0.timeline.last?.end ?? .min }
        return last.min().map { $0 >= end } ?? false
    }

    /// Returns whether the recording's end has passed, or its stream ended long enough ago to rule out a mistake.
    private func isOver() -> Bool {
        if isPastEnd {
            let since = pastEnd ?? monotonic
            pastEnd = since
            // Segments that the playlists listed before the end may still arrive.
            return tracks.allSatisfy { $0.awaited.isEmpty && !$0.isAppending }
                || monotonic - since >= RecordedTrack.minimumVerification
        }
        if channel.endsWhenUnchanged == true, isUnchanged { return true }
        guard channel.endsWithStream else { return false }
        if channel.hasEndList == true, !tracks.isEmpty,
            tracks.allSatisfy({ $0.loaded == nil && $0.isUnavailable(at: monotonic) })
        {
            // The origin has been unavailable since this process started.
            return true
        }
        return hasStreamEnded && tracks.allSatisfy { $0.isUnavailable(at: monotonic) || $0.isUnchanged(at: monotonic) }
    }

    /// Durably stores whether the stream has ended, because the origin may be unavailable to the next process.
    private func noteEndList() async {
        let hasEnded = hasStreamEnded
        guard hasEnded || tracks.contains(where: { $0.loaded != nil }), hasEnded != (channel.hasEndList == true) else {
            return
        }
        try? await change { $0.hasEndList = hasEnded ? true : nil }
    }

    /// Ends the recording. Segments that are still awaited are lost.
    private func finish() async {
        isRunning = false
        // The reported state doesn't change until the lost segments are known.
        isFinishing = true
        await endTasks()
        await loseAwaitedSegments()
        isFinishing = false
        reportState()
    }

    /// Waits until the recording's task has ended.
    func waitUntilEnded() async { await run?.value }

    private func loseAwaitedSegments() async {
        for track in tracks { lose(track, "the recording ended before it was received") { _ in true } }
        await flush()
        // The disk may be full only temporarily.
        for _ in 0..<20 where !settled.isEmpty {
            guard await pause(for: .milliseconds(500)) else { break }
            await flush()
        }
        // If the results can't be stored, their segments would be awaited forever. If the end can't be stored, the next
        // process would continue the recording. In both cases, the recording ends at its next start instead.
        guard settled.isEmpty, await storeEnd() else {
            run = nil
            return
        }
        // The asset is added before subscribers are notified.
        await dependencies.ended(self)
        await exportFinishedProgrammes()
        reportState()
    }

    /// Returns whether the end was durably stored.
    private func storeEnd() async -> Bool {
        do {
            try await change {
                $0.hasEnded = true
                $0.isWanted = false
            }
            return true
        } catch {
            return false
        }
    }
}

struct RecordingDependencies: Sendable {
    let store: CacheStore
    let recordingStore: any RecordingStore
    let loader: PlaylistLoader
    let events: EventHub<RecordingEvent>
    let settings: Downloads.SettingsSource
    /// Writes a channel's record durably.
    let save: @Sendable (Channel) async throws -> Void
    var freeSpace = FreeDiskSpace()
    let exports: ProgrammeExports
    /// A callback that runs once when a recording has ended.
    let ended: @Sendable (Recording) async -> Void
}
