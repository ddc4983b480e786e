internal import Foundation
internal import HLS
internal import MediaCache

/// Giving up segments that can't be fetched.
extension Recording {
    /// How many target durations the live edge waits for one segment that can't be had while others can, though its
    /// playlist names it, and how long at least. Players hold back three target durations (RFC 8216bis §4.4.3.8).
    private static let patientTargets = 3
    private static let leastPatience = Duration.seconds(6)
    /// The time after which a segment is given up while segments arrive on other tracks only.
    private static let longestPatience = Duration.seconds(600)
    /// How long a segment whose media is here waits for its companions at least when one behind it is complete, and at most
    /// when none is: then there is nothing that players could go on with.
    private static let leastCompanionPatience = Duration.seconds(15)
    private static let longestCompanionPatience = Duration.seconds(3600)

    /// Gives up on what can't be had any more.
    func expire() {
        for index in tracks.indices where !tracks[index].awaited.isEmpty {
            noteOvertaken(index)
            let track = tracks[index]
            lose(index, "it had left the playlist before it came") { isLeft($0, of: track) }
            lose(index, "it didn't come, though its playlist names it") { isHopeless($0, of: track) }
            lose(index, "its playlist is gone") { isGone($0, of: track) }
            guard tracks[index].awaited.waiting > 0 else { continue }
            let waiting = tracks[index].awaited.values.filter { $0.media != nil }.map(\.row).sorted {
                $0.number < $1.number
            }
            let surplus = surplus(of: waiting)
            lose(index, "retention removed it before its key or media initialization section came") {
                !$0.isUnderWay && surplus.contains($0.row.number)
            }
        }
    }

    /// The time for which the live edge waits for a segment.
    private static func patience(_ track: Track) -> Duration {
        max(track.targetDuration * patientTargets, leastPatience)
    }

    /// Notes which segments still wait for their companions though one behind them is complete.
    private func noteOvertaken(_ index: Int) {
        guard let completed = tracks[index].completed else { return }
        tracks[index].completed = nil
        guard tracks[index].awaited.waiting > 0 else { return }
        for awaited in tracks[index].awaited.values
        where awaited.row.number < completed && awaited.media != nil && awaited.overtakenSince == nil {
            tracks[index].awaited[awaited.row.number]?.overtakenSince = monotonic
        }
    }

    /// Whether a segment isn't in its playlist any more, and can't be had.
    private func isLeft(_ awaited: Awaited, of track: Track) -> Bool {
        // While its playlist can't be had nobody knows what is still there.
        guard !awaited.isUnderWay, awaited.media == nil, track.trouble == nil, track.loaded != nil,
            let failed = awaited.failed?.upperBound,
            failed > max(awaited.seen, track.recovered), track.follower.present(awaited.row) == nil
        else { return false }
        // An origin has to keep it for a while (RFC 8216bis §6.2.2).
        let isAbsent = awaited.absentSince != nil
        let window = Duration.nanoseconds(isAbsent ? 0 : track.follower.known?.durationNanoseconds ?? 0)
        return monotonic - awaited.seen >= max(track.targetDuration * 3, window)
    }

    /// Whether a segment isn't worth waiting for, though its playlist names it: other segments arrive, or the stream has
    /// ended. While the playlist can't be loaded, the origin is away, which says nothing about its segments.
    private func isHopeless(_ awaited: Awaited, of track: Track) -> Bool {
        guard !awaited.isUnderWay, let failed = awaited.failed, track.trouble == nil else { return false }
        // Before its playlist returned, its origin was away.
        let since = max(failed.lowerBound, track.recovered)
        if awaited.media != nil {
            let patience = max(track.targetDuration * Self.patientTargets, Self.leastCompanionPatience)
            if let settled = [awaited.overtakenSince, track.endedSince].compactMap(\.self).min(),
                failed.upperBound - max(since, settled) >= patience
            {
                return true
            }
            return failed.upperBound - failed.lowerBound >= Self.longestCompanionPatience
        }
        let began = min(since, awaited.absentSince ?? since)
        let patience = Self.patience(track)
        if let ended = track.endedSince, failed.upperBound - max(began, ended) >= patience { return true }
        let failing = failed.upperBound - began
        if let arrival = awaited.arrival, arrival >= since { return failing >= patience }
        // The tracks may have different hosts, and ``silentTracks`` lets the edge pass meanwhile.
        guard let arrival = awaited.otherArrival, arrival >= since else { return false }
        return failing >= Self.longestPatience
    }

    /// Whether a segment has failed for long since the origin has said that there is no such playlist.
    private func isGone(_ awaited: Awaited, of track: Track) -> Bool {
        guard !awaited.isUnderWay, let gone = track.goneSince, let failed = awaited.failed else { return false }
        return failed.upperBound - max(gone, failed.lowerBound) >= Self.absencePatience
    }

    // MARK: - Requests that hang

    /// Ends requests that receive nothing while segments that were requested later arrive: the connection may be dead. Each
    /// segment is requested once more. One that hangs again is given up when the live edge has waited for it long enough.
    func endHangingRequests() async {
        for index in tracks.indices {
            guard let overtaking = tracks[index].overtaking else { continue }
            let patience = Self.patience(tracks[index])
            let hanging = tracks[index].awaited.values.filter { awaited in
                guard awaited.isUnderWay, awaited.media == nil, let asked = awaited.asked else { return false }
                return asked < overtaking && isHanging(awaited, patience)
            }
            for awaited in hanging { await endHangingRequest(awaited, index, patience) }
        }
    }

    /// Whether nothing has arrived of a segment for long, as far as it was looked at.
    private func isHanging(_ awaited: Awaited, _ patience: Duration) -> Bool {
        guard let progressed = awaited.progressed, let requested = awaited.requested else { return false }
        let now = monotonic
        return now - progressed >= patience / Self.patientTargets
            && (awaited.failed == nil || now - requested >= patience)
    }

    private func endHangingRequest(_ seen: Awaited, _ index: Int, _ patience: Duration) async {
        let number = seen.row.number
        let received = await work.place.receivedBytes(of: part(seen.row, track: tracks[index].folder))
        guard let awaited = tracks[index].awaited[number], let fetch = awaited.fetch, fetch == seen.fetch,
            awaited.media == nil
        else { return }
        // A slow segment is waited for.
        guard received <= awaited.received else {
            tracks[index].awaited[number]?.received = received
            tracks[index].awaited[number]?.progressed = monotonic
            return
        }
        tracks[index].awaited[number]?.isHanging = true
        fetches[fetch]?.cancel()
        if awaited.failed != nil { lose(index, "its origin sent nothing of it") { $0.row.number == number } }
    }
}
