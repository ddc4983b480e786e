internal import Foundation
import HLS
internal import MediaCache

extension Recording {
    /// The minimum interval between loads of the multivariant playlist for fresh links.
    private static let minimumMasterInterval = Duration.seconds(5)

    /// Loads a track's playlist repeatedly until the recording ends.
    func follow(_ track: RecordedTrack) async {
        while !Task.isCancelled, !isPastEnd {
            let began = monotonic
            let outcome = await load(track)
            guard !Task.isCancelled else { return }
            let wait = max(track.interval(after: outcome, at: monotonic) - (monotonic - began), .milliseconds(20))
            track.sleepsUntil = monotonic + wait
            guard (try? await dependencies.store.time.sleep(for: wait)) != nil else { return }
        }
        if !Task.isCancelled { track.follows = nil }
    }

    /// Loads and processes a track's playlist. Returns nil if that failed.
    private func load(_ track: RecordedTrack) async -> PlaylistReload.Outcome? {
        track.isLoading = true
        defer { track.isLoading = false }
        let known = track.follower.known
        let age = track.loaded.map { monotonic - $0 } ?? .zero
        let url = track.url
        // The state of an earlier process may be outdated, so the whole playlist is loaded first.
        let directives =
            track.loaded == nil || track.isJoining || track.refusesDirectives
            ? DeliveryDirectives() : known?.nextDirectives(age: age, includesParts: false)
        var isMultivariant = false
        do {
            let requestURL = try directives.map { try ResourceURL($0.applied(to: url.description)) } ?? url
            guard
                let playlist = try await dependencies.loader.load(
                    requestURL, scope: track.scope, settings: try settings(), transferClass: .recording, isFresh: true)
            else { throw CacheError(.notMedia, "\(url) is other media instead of a playlist") }
            // Segments that arrive after the end would extend the recording.
            guard !Task.isCancelled, !isPastEnd, track.url == url else { return nil }
            isMultivariant = playlist.kind == .multivariant
            track.failedCopies = 0
            let outcome = try await take(playlist, track)
            if track.isStale(at: monotonic) { track.failOver(from: url, at: monotonic) }
            return outcome
        } catch is PlaylistReloadError where directives?.isEmpty == false {
            // The next request is for the whole playlist.
            track.loaded = nil
            track.lastPlaylist = nil
            return .updated
        } catch {
            guard !Task.isCancelled else { return nil }
            let error = CacheError.wrap(error, as: .unreachable, "\(url) couldn't be loaded")
            // After a restart, the encoder may be far from the requested segment (RFC 8216bis §6.2.5.2).
            if directives?.isEmpty == false, [400, 404].contains(error.status) {
                track.refusesDirectives = true
                return .unchanged
            }
            if track.loadFailure == nil { track.loadFailure = (monotonic, error.message) }
            if error.code == .originStatus || error.code == .notMedia { await refreshLinks(isReplaced: isMultivariant) }
            // If a multivariant playlist was received, the track is gone unless the channel's playlist lists it.
            let isGone =
                isMultivariant
                ? !track.isNamed
                : error.code == .notMedia || error.code == .originStatus && !error.isRetryable
            track.missingSince = isGone ? track.missingSince ?? monotonic : nil
            // Fresh links are tried before another copy.
            if track.url == url {
                track.failedCopies += 1
                track.failOver(from: url, at: monotonic)
            }
            reportState()
            return nil
        }
    }

    /// Reloads the multivariant playlist, since links may have expired.
    ///
    /// - Parameter isReplaced: Whether a multivariant playlist was received from the URL of a media playlist. The
    ///   channel's URL may have served a temporary slate before.
    func refreshLinks(isReplaced: Bool = false) async {
        let hasOwnPlaylist =
            !channel.entry.isEmpty && (channel.tracks.count > 1 || channel.tracks.first?.url != channel.url)
        guard isReplaced || hasOwnPlaylist else { return }
        if let masterLoaded, monotonic - masterLoaded < Self.minimumMasterInterval { return }
        try? await findTracks()
    }

    // MARK: - Rows

    /// Processes a loaded playlist, unless it is unchanged.
    private func take(_ loaded: LoadedPlaylist, _ track: RecordedTrack) async throws -> PlaylistReload.Outcome {
        // Identical bytes aren't parsed again: a playlist that covers a day is long, and is loaded every few seconds.
        if track.lastPlaylist.map({ $0.base == loaded.base && $0.bytes == loaded.bytes }) == true {
            track.noteUnchangedPlaylist(at: monotonic)
            return .unchanged
        }
        guard case .media(let media) = try loaded.parsed(importing: channel.variables ?? [:]).playlist else {
            throw CacheError(.notMedia, "\(loaded.url) is now a multivariant playlist instead of a media playlist")
        }
        return try await take(media.resolvingURIs(against: loaded.base.description), track, from: loaded)
    }

    /// Appends the new segments of a track's playlist to the timeline and enqueues them.
    ///
    /// - Parameters:
    ///   - update: The playlist, with absolute URIs.
    ///   - loaded: The response that `update` was parsed from. An identical response isn't processed again.
    func take(
        _ update: MediaPlaylist, _ track: RecordedTrack, from loaded: LoadedPlaylist? = nil
    ) async throws -> PlaylistReload.Outcome {
        let now = monotonic
        var follower = track.follower
        let (before, url) = (follower.scope, track.url)
        if let loaded { follower.scope = loaded.references }
        let wall = self.now
        let others = tracks.filter { $0 !== track }.map(\.follower.numbers)
        let address = loaded.map { String($0.base.description.path) }
        var (rows, outcome) = try follower.take(
            update, wall: wall, now: now, lag: lag(excluding: track), otherTracks: others, isCopy: track.isJoining,
            hasNewLinks: !track.isJoining && address != nil && address != track.address)
        // A playlist older than the known one isn't used, and neither is its scope.
        if outcome == .stale { follower.scope = before }
        for row in rows.indices { rows[row].arrival = rows[row].arrival.map { $0.clampedSum(arrivalNow - wall) } }
        let surplus = surplus(of: rows)
        for row in rows.indices where surplus.contains(rows[row].number) { rows[row].state = .gap }
        // Prevents the recording from ending before the new segments are awaited.
        track.isAppending = true
        defer { track.isAppending = false }
        // Rows are stored before any segment is fetched, so that a number always identifies the same segment.
        let timeline = track.timeline
        let next = timeline.next
        do {
            try await timeline.append(rows, countingFrom: follower.firstDiscontinuities)
        } catch {
            // If rows were appended in spite of the error, their numbers can't be reused.
            if timeline.next != next { try await reloadFollower(track) }
            throw error
        }
        // Rows that can't be removed now are removed when retention is applied next.
        if !surplus.isEmpty { try? await timeline.remove(surplus.sorted()) }
        track.follower = follower
        let isCurrent = track.url == url && outcome != .stale
        track.lastPlaylist = isCurrent ? loaded : nil
        if isCurrent, let address { track.address = address }
        let hasJoined = isCurrent && track.isJoining
        if hasJoined { track.isJoining = false }
        track.noteLoad(isEmpty: update.segments.isEmpty, isNew: !rows.isEmpty, at: now)
        // On a track without recorded segments, all new segments were published before the recording began.
        for row in rows where row.state == .awaited { track.enqueue(row, at: now, isBacklog: next == 0) }
        reportGaps(rows.filter { !surplus.contains($0.number) }, track)
        if !track.refreshAwaited(at: now, isOtherCopy: hasJoined) {
            let (follower, names) = (track.follower, track.follower.names)
            lose(track, "its URL now refers to another segment") {
                !$0.isInFlight && $0.media == nil && follower.isReused($0.row, among: names)
            }
        }
        if outcome != .stale { track.enqueueResumed() }
        fetchMore()
        return outcome
    }

    /// Returns the lag of another track's clock behind the arrival of its segments; nil if no other track has a clock.
    private func lag(excluding track: RecordedTrack) -> Int64? {
        tracks.lazy.filter { $0 !== track }.compactMap(\.follower.clock.lag).first
    }

    /// Replaces the follower with one that continues from the timeline.
    private func reloadFollower(_ track: RecordedTrack) async throws {
        let timeline = track.timeline
        let (follower, tail) = try await follower(of: timeline)
        track.follower = follower
        track.lastPlaylist = nil
        track.enqueueMissing(tail, at: monotonic)
    }

    /// Returns a follower that continues from the end of a timeline, and the last rows, which it was created from.
    func follower(of timeline: Timeline) async throws -> (TrackFollower, tail: [RecordedSegment]) {
        let tail = try await timeline.rows(from: timeline.next - Int64(TrackFollower.tailLength))
        let next = timeline.next > 0 ? timeline.next : nil
        let follower = TrackFollower(
            folder: timeline.track, after: tail, next: next, discontinuities: timeline.discontinuities)
        return (follower, tail)
    }

    /// Reports gaps. Segments that were never seen are reported as a single gap.
    private func reportGaps(_ rows: [RecordedSegment], _ track: RecordedTrack) {
        let unseen = rows.filter { $0.state == .gap && $0.url.isEmpty }
        if var gap = unseen.first {
            gap.duration = unseen.reduce(0) { $0 + $1.duration }
            reportGap(gap, track, "it never appeared in a loaded playlist")
        }
        for row in rows where row.state == .gap && !row.url.isEmpty {
            reportGap(row, track, "its playlist marks it as a gap")
        }
    }

    func reportGap(_ row: RecordedSegment, _ track: RecordedTrack, _ reason: String) {
        dependencies.events.send(
            .gap(
                channel.name, track: track.folder, start: Date(nanosecondsSinceEpoch: row.start),
                duration: Double(row.duration) / 1e9, reason: reason))
    }
}
