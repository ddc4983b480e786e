internal import Foundation
import HLS
internal import MediaCache

/// Following the playlists.
extension Recording {
    /// A stream's own playlist is asked for anew at most so often, where links are over.
    private static let leastMasterInterval = Duration.seconds(5)

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
        guard let known = tracks[index].follower.known else { return .seconds(1) }
        let target = tracks[index].targetDuration
        guard let outcome else { return min(target / 2, .seconds(3)) }
        // What says that it has ended may go on: that is looked at for as long as nobody believes it.
        guard let interval = known.reloadInterval(after: outcome) else { return max(target / 2, .seconds(1)) }
        if known.nextDirectives().mediaSequence != nil, outcome == .updated { return .zero }
        return interval
    }

    /// Returns what the load brought; nil where the playlist couldn't be had.
    private func load(_ index: Int) async -> PlaylistReload.Outcome? {
        tracks[index].isLoading = true
        defer { tracks[index].isLoading = false }
        let known = tracks[index].follower.known
        let age = tracks[index].loaded.map { monotonic - $0 } ?? .zero
        let url = tracks[index].url
        do {
            // What an earlier process saw may be of another time: the whole first.
            let directives = tracks[index].loaded == nil ? DeliveryDirectives() : known?.nextDirectives(age: age)
            let asked = try directives.map { try ResourceURL($0.applied(to: url.description)) } ?? url
            guard
                let playlist = try await work.loader.load(
                    asked, settings: try settings(for: url), transferClass: .recording, isFresh: true)
            else { throw CacheError(.notMedia, "\(url) isn't a playlist any more") }
            // What it names that came later than the end wouldn't get its time.
            guard !Task.isCancelled, !isPastEnd else { return nil }
            return try await take(playlist, index)
        } catch is PlaylistReloadError {
            tracks[index].loaded = nil
            tracks[index].taken = nil
            return .updated
        } catch {
            guard !Task.isCancelled else { return nil }
            let error = CacheError.wrap(error, as: .unreachable, "\(url) can't be had")
            if tracks[index].trouble == nil { tracks[index].trouble = (monotonic, error.message) }
            if error.code == .originStatus || error.code == .notMedia { await refreshLinks() }
            tellState()
            return nil
        }
    }

    /// Links may be over: the stream's own playlist has fresh ones.
    func refreshLinks() async {
        guard !channel.entry.isEmpty, channel.tracks.count > 1 || channel.tracks.first?.url != channel.url else {
            return
        }
        if let masterLoaded, monotonic - masterLoaded < Self.leastMasterInterval { return }
        try? await findTracks()
    }

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
        let update = media.resolvingURIs(against: loaded.base.description)
        let now = monotonic
        var follower = tracks[index].follower
        let (rows, outcome) = try follower.take(update, wall: self.now, now: now, shared: &shared)
        // It isn't over before they're awaited.
        tracks[index].isTaking = true
        defer { tracks[index].isTaking = false }
        // In the timeline before any of them is fetched: a number means one segment for good.
        let timeline = tracks[index].timeline
        let next = timeline.next
        do {
            try await timeline.append(rows)
        } catch {
            // Numbers that were written until then are taken.
            if timeline.next != next { try await takeUp(index) }
            throw error
        }
        tracks[index].follower = follower
        tracks[index].taken = outcome == .stale ? nil : loaded
        cameAgain(index, isEmpty: update.segments.isEmpty, isNew: !rows.isEmpty, now)
        for row in rows where row.state == .awaited {
            expect(row, index, now)
        }
        tellGaps(rows, index)
        noteSeen(index, now)
        if !rows.isEmpty { fetchMore() }
        return outcome
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
        return (TrackFollower(folder: timeline.track, after: tail, next: next), tail)
    }

    /// The playlist that was taken last has come again: what was in it then is in it now.
    private func cameUnchanged(_ index: Int) {
        let (now, last) = (monotonic, tracks[index].loaded)
        cameAgain(index, isEmpty: false, isNew: false, now)
        for (number, awaited) in tracks[index].awaited where awaited.seen == last {
            tracks[index].awaited[number]?.seen = now
        }
    }

    private func cameAgain(_ index: Int, isEmpty: Bool, isNew: Bool, _ now: Duration) {
        let follower = tracks[index].follower
        if isNew || tracks[index].loaded == nil { tracks[index].renewed = now }
        tracks[index].loaded = now
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
    private func noteSeen(_ index: Int, _ now: Duration) {
        let follower = tracks[index].follower
        var areAllPresent = true
        for (number, awaited) in tracks[index].awaited {
            guard let row = follower.refreshed(awaited.row) else {
                areAllPresent = false
                continue
            }
            tracks[index].awaited[number]?.seen = now
            tracks[index].awaited[number]?.row = row
        }
        guard !areAllPresent else { return }
        let names = follower.names
        lose(index, "its name means another segment now") { !$0.isUnderWay && follower.isReused($0.row, among: names) }
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
