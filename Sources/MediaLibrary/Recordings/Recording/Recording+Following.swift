internal import Foundation
import HLS
internal import MediaCache

/// Following the playlists.
extension Recording {
    /// A stream's own playlist is asked for anew at most so often, where links are over.
    private static let leastMasterInterval = Duration.seconds(5)

    /// How long a playlist that can't be had isn't asked for at most, where the stream's own playlist doesn't name it.
    private static let longestAbsentInterval = Duration.seconds(120)

    func follow(_ index: Int) async {
        while !Task.isCancelled, !isPastEnd {
            let began = monotonic
            let outcome = await load(index)
            guard !Task.isCancelled else { return }
            let wait = interval(index, after: outcome) - (monotonic - began)
            guard (try? await work.store.time.sleep(for: max(wait, .milliseconds(20)))) != nil else { return }
        }
        if !Task.isCancelled { tracks[index].follows = nil }
    }

    /// RFC 8216bis §6.3.4; a second or so where it can't be had.
    private func interval(_ index: Int, after outcome: PlaylistReload.Outcome?) -> Duration {
        if outcome == nil, !tracks[index].isNamed, let trouble = tracks[index].trouble {
            // It may have been removed for good.
            return min(max(.seconds(1), (monotonic - trouble.since) / 4), Self.longestAbsentInterval)
        }
        guard let known = tracks[index].follower.known else { return .seconds(1) }
        let target = tracks[index].targetDuration
        // The other copies are asked at once.
        if tracks[index].failedCopies % tracks[index].urls.count > 0 { return .zero }
        guard let outcome else { return min(target / 2, .seconds(3)) }
        // What says that it has ended may go on: that is looked at for as long as nobody believes it.
        guard let interval = known.reloadInterval(after: outcome) else { return max(target / 2, .seconds(1)) }
        // A server that announces blocking reloads but answers at once would be asked without end.
        let hasNewRows = tracks[index].loaded == nil || tracks[index].renewed == tracks[index].loaded
        if known.nextDirectives(wantsParts: false).mediaSequence != nil, outcome == .updated, hasNewRows {
            return .zero
        }
        return interval
    }

    /// Returns what the load brought; nil where the playlist couldn't be had.
    private func load(_ index: Int) async -> PlaylistReload.Outcome? {
        tracks[index].isLoading = true
        defer { tracks[index].isLoading = false }
        let known = tracks[index].follower.known
        let age = tracks[index].loaded.map { monotonic - $0 } ?? .zero
        let (copy, url) = (tracks[index].copy, tracks[index].url)
        // What an earlier process saw may be of another time: the whole first.
        let directives =
            tracks[index].loaded == nil || tracks[index].isJoining || tracks[index].refusesDirectives
            ? DeliveryDirectives() : known?.nextDirectives(age: age, wantsParts: false)
        var isMultivariant = false
        do {
            let asked = try directives.map { try ResourceURL($0.applied(to: url.description)) } ?? url
            guard
                let playlist = try await work.loader.load(
                    asked, scope: tracks[index].scope, settings: try settings(for: url), transferClass: .recording,
                    isFresh: true)
            else { throw CacheError(.notMedia, "\(url) isn't a playlist any more") }
            // What it names that arrives after the end wouldn't get its time.
            guard !Task.isCancelled, !isPastEnd, tracks[index].copy == copy else { return nil }
            isMultivariant = playlist.kind == .multivariant
            tracks[index].failedCopies = 0
            let outcome = try await take(playlist, index)
            if isStale(index) { failOver(index, from: copy) }
            return outcome
        } catch is PlaylistReloadError where directives?.isEmpty == false {
            // The next request has no directives.
            tracks[index].loaded = nil
            tracks[index].taken = nil
            return .updated
        } catch {
            guard !Task.isCancelled else { return nil }
            let error = CacheError.wrap(error, as: .unreachable, "\(url) can't be had")
            // An encoder that started again is far from the segment that was asked for (RFC 8216bis §6.2.5.2).
            if directives?.isEmpty == false, [400, 404].contains(error.status) {
                tracks[index].refusesDirectives = true
                return .unchanged
            }
            if tracks[index].trouble == nil { tracks[index].trouble = (monotonic, error.message) }
            if error.code == .originStatus || error.code == .notMedia {
                await refreshLinks(isReplaced: isMultivariant)
            }
            // A multivariant playlist replaces one that it doesn't name.
            let isGone =
                isMultivariant
                ? !tracks[index].isNamed
                : error.code == .notMedia || error.code == .originStatus && !error.isRetryable
            tracks[index].goneSince = isGone ? tracks[index].goneSince ?? monotonic : nil
            // Fresh links are tried first.
            if tracks[index].url == url {
                tracks[index].failedCopies += 1
                failOver(index, from: copy)
            }
            tellState()
            return nil
        }
    }

    /// Links may be over: the stream's own playlist has fresh ones.
    ///
    /// - Parameter isReplaced: whether a multivariant playlist was received from the URL of a media playlist. The channel's
    ///   URL may have had a slate before.
    func refreshLinks(isReplaced: Bool = false) async {
        let hasOwnPlaylist =
            !channel.entry.isEmpty && (channel.tracks.count > 1 || channel.tracks.first?.url != channel.url)
        guard isReplaced || hasOwnPlaylist else { return }
        if let masterLoaded, monotonic - masterLoaded < Self.leastMasterInterval { return }
        try? await findTracks()
    }

    // MARK: - Redundant copies

    /// A copy that brings nothing new for so many target durations, and for this long, is stale.
    private static let staleTargets = 3
    private static let leastStaleness = Duration.seconds(6)

    /// Whether the copy that is followed has brought nothing new for long, though it hasn't ended.
    private func isStale(_ index: Int) -> Bool {
        let track = tracks[index]
        return track.urls.count > 1 && !track.follower.hasEndList
            && monotonic - max(track.renewed, track.chosen)
                >= max(track.targetDuration * Self.staleTargets, Self.leastStaleness)
    }

    /// Follows the next redundant copy of a track's playlist, if `copy` is still the one that is followed.
    func failOver(_ index: Int, from copy: Int) {
        guard tracks[index].urls.count > 1, tracks[index].copy == copy else { return }
        tracks[index].copy = (copy + 1) % tracks[index].urls.count
        tracks[index].chosen = monotonic
        tracks[index].isJoining = true
        tracks[index].taken = nil
    }

    // MARK: - Rows

    private func take(_ loaded: LoadedPlaylist, _ index: Int) async throws -> PlaylistReload.Outcome {
        // A stream of a day has a long playlist, which comes every other second.
        if tracks[index].taken.map({ $0.base == loaded.base && $0.bytes == loaded.bytes }) == true {
            cameUnchanged(index)
            return .unchanged
        }
        guard case .media(let media) = try loaded.parsed(importing: channel.variables ?? [:]).playlist else {
            throw CacheError(
                .notMedia, "\(loaded.url) is a multivariant playlist, and a media playlist was there before")
        }
        return try await take(media.resolvingURIs(against: loaded.base.description), index, from: loaded)
    }

    /// Takes a playlist of a track.
    ///
    /// - Parameters:
    ///   - update: the playlist, its URIs absolute.
    ///   - index: the place of the track in ``tracks``.
    ///   - loaded: what it was read from: the same bytes needn't be read again.
    func take(
        _ update: MediaPlaylist, _ index: Int, from loaded: LoadedPlaylist? = nil
    ) async throws -> PlaylistReload.Outcome {
        let now = monotonic
        var follower = tracks[index].follower
        let (before, copy) = (follower.scope, tracks[index].copy)
        if let loaded { follower.scope = loaded.references }
        let wall = self.now
        let others = tracks.indices.filter { $0 != index }.map { tracks[$0].follower.numbers }
        var (rows, outcome) = try follower.take(
            update, wall: wall, now: now, lag: lag(besides: index), besides: others, isCopy: tracks[index].isJoining)
        // What is older than what is known names nothing that is fetched.
        if outcome == .stale { follower.scope = before }
        for index in rows.indices {
            rows[index].arrival = rows[index].arrival.map { $0.clampedSum(arrivalNow - wall) }
        }
        let surplus = surplus(of: rows)
        for index in rows.indices where surplus.contains(rows[index].number) { rows[index].state = .gap }
        // It isn't over before they're awaited.
        tracks[index].isTaking = true
        defer { tracks[index].isTaking = false }
        // In the timeline before any of them is fetched: a number means one segment for good.
        let timeline = tracks[index].timeline
        let next = timeline.next
        do {
            try await timeline.append(rows, countingFrom: follower.firstDiscontinuities)
        } catch {
            // Numbers that were written until then are taken.
            if timeline.next != next { try await takeUp(index) }
            throw error
        }
        // What can't be given up now goes with the next look at the limits.
        if !surplus.isEmpty { try? await timeline.giveUp(surplus.sorted()) }
        tracks[index].follower = follower
        let isCurrent = tracks[index].copy == copy && outcome != .stale
        tracks[index].taken = isCurrent ? loaded : nil
        let hasJoined = isCurrent && tracks[index].isJoining
        if hasJoined { tracks[index].isJoining = false }
        cameAgain(index, isEmpty: update.segments.isEmpty, isNew: !rows.isEmpty, now)
        // Of a track without segments all are from before the recording.
        for row in rows where row.state == .awaited { expect(row, index, now, isBacklog: next == 0) }
        tellGaps(rows.filter { !surplus.contains($0.number) }, index)
        noteSeen(index, now, isOtherCopy: hasJoined)
        if outcome != .stale { releaseResumed(index) }
        fetchMore()
        return outcome
    }

    /// How far the clock of another track is behind the arrival of its segments; nil where no other has a clock.
    private func lag(besides index: Int) -> Int64? {
        tracks.indices.lazy.filter { $0 != index }.compactMap { self.tracks[$0].follower.clock.lag }.first
    }

    /// The follower goes on from what is in the timeline.
    private func takeUp(_ index: Int) async throws {
        let timeline = tracks[index].timeline
        let (follower, tail) = try await follower(of: timeline)
        tracks[index].follower = follower
        tracks[index].taken = nil
        for row in tail where row.state == .awaited && tracks[index].awaited[row.number] == nil {
            expect(row, index, monotonic)
        }
    }

    /// A follower that goes on from the end of a timeline, and the rows that it knows of that.
    func follower(of timeline: Timeline) async throws -> (TrackFollower, tail: [RecordedSegment]) {
        let tail = try await timeline.rows(from: timeline.next - Int64(TrackFollower.tailLength))
        let next = timeline.next > 0 ? timeline.next : nil
        let follower = TrackFollower(
            folder: timeline.track, after: tail, next: next, discontinuities: timeline.discontinuities)
        return (follower, tail)
    }

    /// The playlist that was taken last has come again: what was in it then is in it now.
    private func cameUnchanged(_ index: Int) {
        let (now, last) = (monotonic, tracks[index].loaded)
        cameAgain(index, isEmpty: false, isNew: false, now)
        for awaited in tracks[index].awaited.values where awaited.seen == last {
            tracks[index].awaited[awaited.row.number]?.seen = now
        }
    }

    private func cameAgain(_ index: Int, isEmpty: Bool, isNew: Bool, _ now: Duration) {
        let follower = tracks[index].follower
        if isNew, tracks[index].loaded != nil { tracks[index].hasChanged = true }
        if isNew || tracks[index].loaded == nil { tracks[index].renewed = now }
        if isNew { tracks[index].refusesDirectives = false }
        tracks[index].loaded = now
        tracks[index].goneSince = nil
        tracks[index].endedSince = follower.hasEndList ? tracks[index].endedSince ?? now : nil
        guard tracks[index].trouble != nil, !isEmpty || follower.known?.segments.isEmpty == false else {
            return
        }
        tracks[index].trouble = nil
        // Its origin may be there again for segments too: none is given up before it was asked once more.
        tracks[index].recovered = now
        tracks[index].queue.retryAll()
    }

    /// What is awaited and still in the playlist may have other links now. What has left it may have had a name that means
    /// something else now.
    private func noteSeen(_ index: Int, _ now: Duration, isOtherCopy: Bool) {
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
                // Its companions may have other links; its media is what it is.
                tracks[index].awaited[number]?.row.url = awaited.row.url
                tracks[index].awaited[number]?.row.range = awaited.row.range
                continue
            }
            if isOtherCopy, awaited.row.url != row.url { tracks[index].awaited[number]?.mayHaveOtherBytes = true }
        }
        guard !areAllPresent else { return }
        let names = follower.names
        lose(index, "its name means another segment now") {
            !$0.isUnderWay && $0.media == nil && follower.isReused($0.row, among: names)
        }
    }

    /// What was never seen is one gap, however many rows stand for it.
    private func tellGaps(_ rows: [RecordedSegment], _ index: Int) {
        let unseen = rows.filter { $0.state == .gap && $0.url.isEmpty }
        if var gap = unseen.first {
            gap.duration = unseen.reduce(0) { $0 + $1.duration }
            tellGap(gap, index, "never seen")
        }
        for row in rows where row.state == .gap && !row.url.isEmpty {
            tellGap(row, index, "its playlist says that it's absent")
        }
    }

    func tellGap(_ row: RecordedSegment, _ index: Int, _ reason: String) {
        work.events.send(
            .gap(
                channel.name, track: tracks[index].folder, start: Date(nanosecondsSinceEpoch: row.start),
                duration: Double(row.duration) / 1e9, reason: reason))
    }
}
