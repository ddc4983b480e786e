internal import Foundation
import HLS
internal import MediaCache

/// Following the playlists.
extension Recording {
    /// A stream's own playlist is asked for anew at most so often, where links are over.
    private static let leastMasterInterval = Duration.seconds(5)

    func follow(_ index: Int) async {
        while !Task.isCancelled {
            let began = monotonic
            let outcome = await load(index)
            guard !Task.isCancelled else { return }
            let wait = interval(index, after: outcome) - (monotonic - began)
            guard (try? await work.store.time.sleep(for: max(wait, .milliseconds(20)))) != nil else { return }
        }
    }

    /// RFC 8216bis §6.3.4; a second or so where it can't be had.
    private func interval(_ index: Int, after outcome: PlaylistReload.Outcome?) -> Duration {
        guard let known = tracks[index].follower.known else { return .seconds(1) }
        let target = Duration.seconds(max(1, known.targetDuration ?? 1))
        guard let outcome else { return min(target / 2, .seconds(3)) }
        // What says that it has ended may go on: that is looked at for as long as nobody believes it.
        guard let interval = known.reloadInterval(after: outcome) else { return max(target / 2, .seconds(1)) }
        if known.nextDirectives().mediaSequence != nil, outcome == .updated { return .zero }
        return interval
    }

    /// Returns what the load brought; nil where the playlist couldn't be had.
    private func load(_ index: Int) async -> PlaylistReload.Outcome? {
        let known = tracks[index].follower.known
        let age = tracks[index].loaded.map { monotonic - $0 } ?? .zero
        let url = tracks[index].url
        do {
            // What an earlier process saw may be of another time: the whole first.
            let directives = tracks[index].loaded == nil ? DeliveryDirectives() : known?.nextDirectives(age: age)
            let asked = try directives.map { try ResourceURL($0.applied(to: url.description)) } ?? url
            guard
                let playlist = try await work.loader.load(
                    asked, settings: try settings(for: url), transferClass: .preload, isFresh: true)
            else { throw CacheError(.notMedia, "\(url) isn't a playlist any more") }
            return try await take(playlist, index)
        } catch let error as PlaylistReloadError {
            _ = error
            tracks[index].loaded = nil
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
        let context = PlaylistContext(playlistURL: loaded.base.description)
        let parsed: Playlist
        do {
            parsed = try PlaylistParser(context: context).parse(loaded.bytes).playlist
        } catch {
            throw CacheError(.notMedia, "\(loaded.url) can't be read as a playlist: \(error)")
        }
        guard case .media(let media) = parsed else {
            throw CacheError(
                .notMedia, "\(loaded.url) is a multivariant playlist, and a media playlist was there before")
        }
        let update = media.resolvingURIs(against: loaded.base.description)
        let now = monotonic
        var follower = tracks[index].follower
        let (rows, outcome) = try follower.take(update, wall: self.now, now: now, shared: &shared)
        // In the timeline before any of them is fetched: a number means one segment for good.
        try await tracks[index].timeline.append(rows)
        tracks[index].follower = follower
        tracks[index].loaded = now
        if !update.segments.isEmpty || tracks[index].follower.known?.segments.isEmpty == false {
            tracks[index].trouble = nil
        }
        tracks[index].endedSince = follower.hasEndList ? tracks[index].endedSince ?? now : nil
        for row in rows {
            switch row.state {
            case .awaited: expect(row, index, now)
            case .gap: tellGap(row, index, row.url.isEmpty ? "never seen" : "its playlist says that it's absent")
            case .kept: break
            }
        }
        noteSeen(index, update, now)
        if !rows.isEmpty { fetchMore() }
        return outcome
    }

    /// What is awaited and still in the playlist may have other links now.
    private func noteSeen(_ index: Int, _ update: MediaPlaylist, _ now: Duration) {
        let follower = tracks[index].follower
        guard let known = follower.known else { return }
        for (number, awaited) in tracks[index].awaited where follower.isPresent(awaited.row) {
            tracks[index].awaited[number]?.seen = now
            let place = awaited.row.originSequence - known.firstMediaSequence
            guard known.segments.indices.contains(place) else { continue }
            tracks[index].awaited[number]?.row.url = known.segments[place].uri
        }
    }

    func tellGap(_ row: RecordedSegment, _ index: Int, _ reason: String) {
        work.events.send(
            .gap(
                channel.name, track: tracks[index].folder, start: Date(nanosecondsSinceEpoch: row.start),
                duration: Double(row.duration) / 1e9, reason: reason))
    }
}
