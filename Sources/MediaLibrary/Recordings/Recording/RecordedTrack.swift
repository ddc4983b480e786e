internal import HLS
internal import MediaCache

/// A track of a recorded channel. It follows the track's playlist, owns its timeline, and decides which segments to
/// request, to retry and to give up. It's isolated to its recording's actor.
final class RecordedTrack {
    let folder: String
    let timeline: Timeline
    var follower: TrackFollower

    // MARK: Redundant copies of the playlist

    /// The URLs of the redundant copies of the playlist, in order of preference.
    private(set) var urls: [ResourceURL]
    /// The index in ``urls`` of the copy that is followed.
    private var copy = 0
    /// The time at which the copy was chosen.
    private var chosen: Duration = .zero
    /// Whether the next playlist may come from a different copy than the recorded segments.
    var isJoining: Bool
    /// The URL, without its query, of the last current playlist. Known segments may have new file names only if this
    /// URL changes.
    var address: String?
    /// The number of consecutive failed loads of the copies.
    var failedCopies = 0
    /// The address scope of the document that contains ``urls``.
    var scope: AddressScope
    /// Whether the multivariant playlist listed the track when it was last loaded.
    var isNamed: Bool

    // MARK: Loads of the playlist

    /// The task that loads the playlist repeatedly.
    var follows: Task<Void, Never>?
    /// The time until which ``follows`` sleeps or has slept, by which tests find out whether it sleeps.
    var sleepsUntil: Duration?
    /// The last playlist that was processed; nil if it was older than the known one.
    var lastPlaylist: LoadedPlaylist?
    /// The time and the reason of the first failed load since the last successful one.
    var loadFailure: (since: Duration, reason: String)?
    /// The time since which each load has shown that the playlist doesn't exist.
    var missingSince: Duration?
    /// The time since which the playlist has had EXT-X-ENDLIST.
    var endedSince: Duration?
    var isLoading = false
    /// Whether the origin refused delivery directives and no new segment has appeared since.
    var refusesDirectives = false
    /// Whether new segments are being appended to the timeline. They aren't in ``awaited`` yet.
    var isAppending = false
    /// The time of the last successful load of the playlist.
    var loaded: Duration?
    /// The time of the first successful load after a failure.
    var recovered: Duration = .zero
    /// The time at which the playlist last had new segments or was first loaded.
    var renewed: Duration = .zero
    /// Whether the playlist has had new segments since its first load, or an earlier process has recorded segments.
    var hasChanged: Bool

    // MARK: Segments

    var awaited = AwaitedSegments()
    var queue = FetchQueue()
    /// The number of segments that are being fetched.
    var inFlight = 0
    /// The segments that were awaited when the recording was stopped, until they are enqueued.
    var resumed: (numbers: [Int64], since: Duration)?
    /// The time at which a segment was last completed.
    var fetched: Duration?
    /// The time of the first failed segment request since a segment was completed; nil if none has failed.
    var failing: Duration?
    /// The latest request time among the completed segments.
    var overtaking: Duration?
    /// The highest number of a segment completed since the last call of ``noteOvertakenSegments(at:)``.
    var completed: Int64?

    /// Creates a track that continues a timeline. There must be at least one URL.
    init(timeline: Timeline, follower: TrackFollower, urls: [ResourceURL], scope: AddressScope, isNamed: Bool) {
        folder = timeline.track
        self.timeline = timeline
        self.follower = follower
        self.urls = urls
        self.scope = scope
        self.isNamed = isNamed
        isJoining = urls.count > 1
        address = String(urls[0].description.path)
        hasChanged = timeline.next > 0
    }

    var url: ResourceURL { urls[copy] }
    var targetDuration: Duration { .seconds(max(1, follower.known?.targetDuration ?? 1)) }

    /// Forgets observations from before the recording was stopped, which may be outdated.
    func restart(at now: Duration) {
        loadFailure = nil
        missingSince = nil
        endedSince = nil
        loaded = nil
        lastPlaylist = nil
        failing = nil
        overtaking = nil
        renewed = now
    }

    /// Forgets the awaited segments. ``resume(at:)`` restores them from the timeline.
    func forgetAwaitedSegments() {
        awaited = AwaitedSegments()
        queue = FetchQueue()
    }

    // MARK: - Redundant copies

    /// The number of target durations, and the minimum time, without new segments after which a copy is stale.
    private static let staleTargets = 3
    private static let minimumStaleness = Duration.seconds(6)

    /// Returns whether the followed copy has had no new segments for a long time, although it hasn't ended.
    func isStale(at now: Duration) -> Bool {
        urls.count > 1 && !follower.hasEndList
            && now - max(renewed, chosen) >= max(targetDuration * Self.staleTargets, Self.minimumStaleness)
    }

    /// Follows the next redundant copy of the playlist, if the one at `url` is still followed.
    func failOver(from url: ResourceURL, at now: Duration) {
        guard urls.count > 1, self.url == url else { return }
        choose((copy + 1) % urls.count, at: now)
    }

    /// Replaces the URLs of the copies. The followed copy stays the same if it is still listed.
    func follow(oneOf urls: [ResourceURL], at now: Duration) {
        let (last, lastCopy, wasRedundant) = (url, copy, self.urls.count > 1)
        self.urls = urls
        if let copy = urls.firstIndex(of: last) {
            self.copy = copy
        } else if urls.count > 1 || wasRedundant {
            let renewed = urls.firstIndex { $0.description.path == last.description.path }
            choose(renewed ?? min(lastCopy, urls.count - 1), at: now)
        } else {
            // The only copy has a new link. Its segments keep their numbers.
            copy = 0
        }
    }

    /// Follows a copy. Its next playlist is matched with the recorded segments.
    private func choose(_ copy: Int, at now: Duration) {
        self.copy = copy
        chosen = now
        isJoining = true
        lastPlaylist = nil
    }
}
