internal import Foundation
import HLS
internal import MediaCache

/// Following of playlists.
extension Recording {
    /// The minimum interval between loads of the multivariant playlist for fresh links.
    private static let minimumMasterInterval = Duration.seconds(5)

    /// The maximum interval between loads of an unavailable playlist that the multivariant playlist doesn't name.
    private static let longestAbsentInterval = Duration.seconds(120)

    /// Loads a track's playlist repeatedly until the recording ends.
    func follow(_ index: Int) async {
        while !Task.isCancelled, !isPastEnd {
            let began = monotonic
            let outcome = await load(index)
            guard !Task.isCancelled else { return }
            let wait = interval(index, after: outcome) - (monotonic - began)
            guard (try? await dependencies.store.time.sleep(for: max(wait, .milliseconds(20)))) != nil else { return }
        }
        if !Task.isCancelled { tracks[index].follows = nil }
    }

    /// Returns the time until the next load (RFC 8216bis §6.3.4); about a second after a failure.
    private func interval(_ index: Int, after outcome: PlaylistReload.Outcome?) -> Duration {
        if outcome == nil, !tracks[index].isNamed, let loadFailure = tracks[index].loadFailure {
            // The track may have been removed for good.
            return min(max(.seconds(1), (monotonic - loadFailure.since) / 4), Self.longestAbsentInterval)
        }
        guard let known = tracks[index].follower.known else { return .seconds(1) }
        let target = tracks[index].targetDuration
        // The other copies are loaded at once.
        if tracks[index].failedCopies % tracks[index].urls.count > 0 { return .zero }
        guard let outcome else { return min(target / 2, .seconds(3)) }
        // A playlist with EXT-X-ENDLIST may still continue until the recording accepts the end.
        guard let interval = known.reloadInterval(after: outcome) else { return max(target / 2, .seconds(1)) }
        // A server that announces blocking reloads but responds at once would be polled in a loop.
        let hasNewRows = tracks[index].loaded == nil || tracks[index].renewed == tracks[index].loaded
        if known.nextDirectives(wantsParts: false).mediaSequence != nil, outcome == .updated, hasNewRows {
            return .zero
        }
        return interval
    }

    /// Returns the outcome of a load; nil if it failed.
    private func load(_ index: Int) async -> PlaylistReload.Outcome? {
        tracks[index].isLoading = true
        defer { tracks[index].isLoading = false }
        let known = tracks[index].follower.known
        let age = tracks[index].loaded.map { monotonic - $0 } ?? .zero
        let url = tracks[index].url
        // The state of an earlier process may be outdated, so the first load is of the whole playlist.
        let directives =
            tracks[index].loaded == nil || tracks[index].isJoining || tracks[index].refusesDirectives
            ? DeliveryDirectives() : known?.nextDirectives(age: age, wantsParts: false)
        var isMultivariant = false
        do {
            let requestURL = try directives.map { try ResourceURL($0.applied(to: url.description)) } ?? url
            guard
                let playlist = try await dependencies.loader.load(
                    requestURL, scope: tracks[index].scope, settings: try settings(for: url), transferClass: .recording,
                    isFresh: true)
            else { throw CacheError(.notMedia, "\(url) is no longer a playlist") }
            // Segments that arrive after the end would extend the recording.
            guard !Task.isCancelled, !isPastEnd, tracks[index].url == url else { return nil }
            isMultivariant = playlist.kind == .multivariant
            tracks[index].failedCopies = 0
            let outcome = try await take(playlist, index)
            if isStale(index) { failOver(index, from: url) }
            return outcome
        } catch is PlaylistReloadError where directives?.isEmpty == false {
            // The next request has no directives.
            tracks[index].loaded = nil
            tracks[index].lastPlaylist = nil
            return .updated
        } catch {
            guard !Task.isCancelled else { return nil }
            let error = CacheError.wrap(error, as: .unreachable, "\(url) couldn't be loaded")
            // An encoder that has restarted is far from the requested segment (RFC 8216bis §6.2.5.2).
            if directives?.isEmpty == false, [400, 404].contains(error.status) {
                tracks[index].refusesDirectives = true
                return .unchanged
            }
            if tracks[index].loadFailure == nil { tracks[index].loadFailure = (monotonic, error.message) }
            if error.code == .originStatus || error.code == .notMedia {
                await refreshLinks(isReplaced: isMultivariant)
            }
            // A multivariant playlist replaces one that it doesn't name.
            let isGone =
                isMultivariant
                ? !tracks[index].isNamed
                : error.code == .notMedia || error.code == .originStatus && !error.isRetryable
            tracks[index].missingSince = isGone ? tracks[index].missingSince ?? monotonic : nil
            // Fresh links are tried before another copy.
            if tracks[index].url == url {
                tracks[index].failedCopies += 1
                failOver(index, from: url)
            }
            reportState()
            return nil
        }
    }

    /// Reloads the multivariant playlist, since links may have expired.
    ///
    /// - Parameter isReplaced: Whether a multivariant playlist was received from the URL of a media playlist. The
    ///   channel's URL may have had a slate before.
    func refreshLinks(isReplaced: Bool = false) async {
        let hasOwnPlaylist =
            !channel.entry.isEmpty && (channel.tracks.count > 1 || channel.tracks.first?.url != channel.url)
        guard isReplaced || hasOwnPlaylist else { return }
        if let masterLoaded, monotonic - masterLoaded < Self.minimumMasterInterval { return }
        try? await findTracks()
    }

    // MARK: - Redundant copies

    /// The number of target durations, and the minimum time, without new segments after which a copy is stale.
    private static let staleTargets = 3
    private static let minimumStaleness = Duration.seconds(6)

    /// Whether the followed copy has had no new segments for long, though it hasn't ended.
    private func isStale(_ index: Int) -> Bool {
        let track = tracks[index]
        return track.urls.count > 1 && !track.follower.hasEndList
            && monotonic - max(track.renewed, track.chosen)
                >= max(track.targetDuration * Self.staleTargets, Self.minimumStaleness)
    }

    /// Follows the next redundant copy of a track's playlist, if the one at `url` is still followed.
    func failOver(_ index: Int, from url: ResourceURL) {
        guard tracks[index].urls.count > 1, tracks[index].url == url else { return }
        choose((tracks[index].copy + 1) % tracks[index].urls.count, index)
    }

    /// Replaces the URLs of a track's copies. The followed copy stays the same if it is still listed.
    func follow(_ index: Int, oneOf urls: [ResourceURL]) {
        let track = tracks[index]
        tracks[index].urls = urls
        if let copy = urls.firstIndex(of: track.url) {
            tracks[index].copy = copy
        } else if urls.count > 1 || track.urls.count > 1 {
            let renewed = urls.firstIndex { $0.description.path == track.url.description.path }
            choose(renewed ?? min(track.copy, urls.count - 1), index)
        } else {
            // Fresh links to the only copy, whose segments have the same numbers.
            tracks[index].copy = 0
        }
    }

    /// Follows a copy, which has to be matched with the recorded segments.
    private func choose(_ copy: Int, _ index: Int) {
        tracks[index].copy = copy
        tracks[index].chosen = monotonic
        tracks[index].isJoining = true
        tracks[index].lastPlaylist = nil
    }

    // MARK: - Rows

    /// Processes a loaded playlist, unless it is unchanged.
    private func take(_ loaded: LoadedPlaylist, _ index: Int) async throws -> PlaylistReload.Outcome {
        // Parsing is skipped for identical bytes: the playlist of a day is long and is loaded every few seconds.
        if tracks[index].lastPlaylist.map({ $0.base == loaded.base && $0.bytes == loaded.bytes }) == true {
            noteUnchangedPlaylist(index)
            return .unchanged
        }
        guard case .media(let media) = try loaded.parsed(importing: channel.variables ?? [:]).playlist else {
            throw CacheError(
                .notMedia, "\(loaded.url) is now a multivariant playlist instead of a media playlist")
        }
        return try await take(media.resolvingURIs(against: loaded.base.description), index, from: loaded)
    }

    /// Processes a track's playlist: appends its new segments to the timeline and enqueues them.
    ///
    /// - Parameters:
    ///   - update: The playlist, its URIs absolute.
    ///   - index: The index of the track in ``tracks``.
    ///   - loaded: The source of the playlist. Identical bytes aren't processed again.
    func take(
        _ update: MediaPlaylist, _ index: Int, from loaded: LoadedPlaylist? = nil
    ) async throws -> PlaylistReload.Outcome {
        let now = monotonic
        var follower = tracks[index].follower
        let (before, url) = (follower.scope, tracks[index].url)
        if let loaded { follower.scope = loaded.references }
        let wall = self.now
        let others = tracks.indices.filter { $0 != index }.map { tracks[$0].follower.numbers }
        let address = loaded.map { String($0.base.description.path) }
        var (rows, outcome) = try follower.take(
            update, wall: wall, now: now, lag: lag(besides: index), besides: others, isCopy: tracks[index].isJoining,
            hasNewLinks: !tracks[index].isJoining && address != nil && address != tracks[index].address)
        // Segments of a playlist older than the known one aren't fetched.
        if outcome == .stale { follower.scope = before }
        for index in rows.indices {
            rows[index].arrival = rows[index].arrival.map { $0.clampedSum(arrivalNow - wall) }
        }
        let surplus = surplus(of: rows)
        for index in rows.indices where surplus.contains(rows[index].number) { rows[index].state = .gap }
        // The recording doesn't end before the new segments are awaited.
        tracks[index].isAppending = true
        defer { tracks[index].isAppending = false }
        // The timeline has the rows before any segment is fetched, so that a number always means the same segment.
        let timeline = tracks[index].timeline
        let next = timeline.next
        do {
            try await timeline.append(rows, countingFrom: follower.firstDiscontinuities)
        } catch {
            // The numbers that were written before the failure are used up.
            if timeline.next != next { try await reloadFollower(index) }
            throw error
        }
        // Rows that can't be removed now are removed when retention is applied next.
        if !surplus.isEmpty { try? await timeline.remove(surplus.sorted()) }
        tracks[index].follower = follower
        let isCurrent = tracks[index].url == url && outcome != .stale
        tracks[index].lastPlaylist = isCurrent ? loaded : nil
        if isCurrent, let address { tracks[index].address = address }
        let hasJoined = isCurrent && tracks[index].isJoining
        if hasJoined { tracks[index].isJoining = false }
        notePlaylistLoad(index, isEmpty: update.segments.isEmpty, isNew: !rows.isEmpty, now)
        // On a track without segments, all were published before the recording began.
        for row in rows where row.state == .awaited { enqueue(row, index, now, isBacklog: next == 0) }
        reportGaps(rows.filter { !surplus.contains($0.number) }, index)
        updateAwaited(index, now, isOtherCopy: hasJoined)
        if outcome != .stale { enqueueResumed(index) }
        fetchMore()
        return outcome
    }

    /// Returns the lag of another track's clock behind the arrival of its segments; nil if no other track has a clock.
    private func lag(besides index: Int) -> Int64? {
        tracks.indices.lazy.filter { $0 != index }.compactMap { self.tracks[$0].follower.clock.lag }.first
    }

    /// Replaces the follower by one that continues from the timeline.
    private func reloadFollower(_ index: Int) async throws {
        let timeline = tracks[index].timeline
        let (follower, tail) = try await follower(of: timeline)
        tracks[index].follower = follower
        tracks[index].lastPlaylist = nil
        for row in tail where row.state == .awaited && tracks[index].awaited[row.number] == nil {
            enqueue(row, index, monotonic)
        }
    }

    /// Returns a follower that continues from the end of a timeline, and the rows that it knows.
    func follower(of timeline: Timeline) async throws -> (TrackFollower, tail: [RecordedSegment]) {
        let tail = try await timeline.rows(from: timeline.next - Int64(TrackFollower.tailLength))
        let next = timeline.next > 0 ? timeline.next : nil
        let follower = TrackFollower(
            folder: timeline.track, after: tail, next: next, discontinuities: timeline.discontinuities)
        return (follower, tail)
    }

    /// Notes a load with the same bytes: awaited segments of the last load are still in the playlist.
    private func noteUnchangedPlaylist(_ index: Int) {
        let (now, last) = (monotonic, tracks[index].loaded)
        notePlaylistLoad(index, isEmpty: false, isNew: false, now)
        for awaited in tracks[index].awaited.values where awaited.seen == last {
            tracks[index].awaited[awaited.row.number]?.seen = now
        }
    }

    /// Notes a successful load.
    private func notePlaylistLoad(_ index: Int, isEmpty: Bool, isNew: Bool, _ now: Duration) {
        let follower = tracks[index].follower
        if isNew, tracks[index].loaded != nil { tracks[index].hasChanged = true }
        if isNew || tracks[index].loaded == nil { tracks[index].renewed = now }
        if isNew { tracks[index].refusesDirectives = false }
        tracks[index].loaded = now
        tracks[index].missingSince = nil
        tracks[index].endedSince = follower.hasEndList ? tracks[index].endedSince ?? now : nil
        guard tracks[index].loadFailure != nil, !isEmpty || follower.known?.segments.isEmpty == false else {
            return
        }
        tracks[index].loadFailure = nil
        // The origin may serve segments again: each is requested once more before it is given up.
        tracks[index].recovered = now
        tracks[index].queue.retryAll()
    }

    /// Updates the links of awaited segments that are still in the playlist. Loses those that have left it if their
    /// names now mean other segments.
    private func updateAwaited(_ index: Int, _ now: Duration, isOtherCopy: Bool) {
        let follower = tracks[index].follower
        var areAllPresent = true
        for awaited in tracks[index].awaited.values {
            let number = awaited.row.number
            guard let row = follower.refreshed(awaited.row) else {
                areAllPresent = false
                continue
            }
            tracks[index].awaited[number]?.seen = now
            tracks[index].awaited[number]?.row = row
            if awaited.media != nil {
                // The companions may have other links; the media is cached already.
                tracks[index].awaited[number]?.row.url = awaited.row.url
                tracks[index].awaited[number]?.row.range = awaited.row.range
                continue
            }
            if isOtherCopy, awaited.row.url != row.url { tracks[index].awaited[number]?.mayHaveOtherBytes = true }
        }
        guard !areAllPresent else { return }
        let names = follower.names
        lose(index, "its name now refers to another segment") {
            !$0.isInFlight && $0.media == nil && follower.isReused($0.row, among: names)
        }
    }

    /// Reports gaps. The segments that were never seen are reported as one gap.
    private func reportGaps(_ rows: [RecordedSegment], _ index: Int) {
        let unseen = rows.filter { $0.state == .gap && $0.url.isEmpty }
        if var gap = unseen.first {
            gap.duration = unseen.reduce(0) { $0 + $1.duration }
            reportGap(gap, index, "it was never in a loaded playlist")
        }
        for row in rows where row.state == .gap && !row.url.isEmpty {
            reportGap(row, index, "its playlist marks it as a gap")
        }
    }

    func reportGap(_ row: RecordedSegment, _ index: Int, _ reason: String) {
        dependencies.events.send(
            .gap(
                channel.name, track: tracks[index].folder, start: Date(nanosecondsSinceEpoch: row.start),
                duration: Double(row.duration) / 1e9, reason: reason))
    }
}
