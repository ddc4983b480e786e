internal import Foundation
internal import HLS
internal import MediaCache

/// Giving up of unavailable segments.
extension Recording {
    /// The number of target durations, and the minimum time, that the live edge waits for a segment that fails while
    /// others arrive. Players hold back three target durations (RFC 8216bis §4.4.3.8).
    private static let patientTargets = 3
    private static let minimumPatience = Duration.seconds(6)
    /// The time after which a segment is given up while segments arrive on other tracks only.
    private static let longestPatience = Duration.seconds(600)
    /// The minimum time that a segment with cached media waits for its companions when a later segment is complete, and
    /// the maximum time when none is: then players couldn't continue anyway.
    private static let minimumCompanionPatience = Duration.seconds(15)
    private static let longestCompanionPatience = Duration.seconds(3600)

    /// Gives up segments that are no longer available.
    func expire() {
        for index in tracks.indices where !tracks[index].awaited.isEmpty {
            noteOvertakenSegments(index)
            let track = tracks[index]
            lose(index, "it left the playlist before it was received") { hasLeftPlaylist($0, of: track) }
            lose(index, "it couldn't be fetched, though its playlist lists it") { isUnavailable($0, of: track) }
            lose(index, "its playlist no longer exists") { isOfMissingPlaylist($0, of: track) }
            guard tracks[index].awaited.waiting > 0 else { continue }
            let waiting = tracks[index].awaited.values.filter { $0.media != nil }.map(\.row).sorted {
                $0.number < $1.number
            }
            let surplus = surplus(of: waiting)
            lose(index, "retention removed it before its key or media initialization section was received") {
                !$0.isInFlight && surplus.contains($0.row.number)
            }
        }
    }

    /// Returns the time that the live edge waits for a segment.
    private static func patience(_ track: Track) -> Duration {
        max(track.targetDuration * patientTargets, minimumPatience)
    }

    /// Notes which segments still wait for their companions while a later segment is complete.
    private func noteOvertakenSegments(_ index: Int) {
        guard let completed = tracks[index].completed else { return }
        tracks[index].completed = nil
        guard tracks[index].awaited.waiting > 0 else { return }
        for awaited in tracks[index].awaited.values
        where awaited.row.number < completed && awaited.media != nil && awaited.overtakenSince == nil {
            tracks[index].awaited[awaited.row.number]?.overtakenSince = monotonic
        }
    }

    /// Whether a segment has left its playlist and is no longer available.
    private func hasLeftPlaylist(_ awaited: Awaited, of track: Track) -> Bool {
        // While the playlist can't be loaded, its segments are unknown.
        guard !awaited.isInFlight, awaited.media == nil, track.loadFailure == nil, track.loaded != nil,
            let failed = awaited.failed?.upperBound,
            failed > max(awaited.seen, track.recovered), track.follower.present(awaited.row) == nil
        else { return false }
        // Origins must keep segments for a while after they leave the playlist (RFC 8216bis §6.2.2).
        let isAbsent = awaited.absentSince != nil
        let window = Duration.nanoseconds(isAbsent ? 0 : track.follower.known?.durationNanoseconds ?? 0)
        return monotonic - awaited.seen >= max(track.targetDuration * 3, window)
    }

    /// Whether a segment isn't worth waiting for though its playlist lists it: other segments arrive, or the stream has
    /// ended. While the playlist can't be loaded, the origin is unavailable, which says nothing about its segments.
    private func isUnavailable(_ awaited: Awaited, of track: Track) -> Bool {
        guard !awaited.isInFlight, let failed = awaited.failed, track.loadFailure == nil else { return false }
        // Before the playlist recovered, the origin was unavailable.
        let since = max(failed.lowerBound, track.recovered)
        if awaited.media != nil {
            let patience = max(track.targetDuration * Self.patientTargets, Self.minimumCompanionPatience)
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
        // Tracks may have different hosts, and ``silentTracks`` lets the edge advance in the meantime.
        guard let arrival = awaited.otherArrival, arrival >= since else { return false }
        return failing >= Self.longestPatience
    }

    /// Whether a segment has failed for long since the origin reported that the playlist doesn't exist.
    private func isOfMissingPlaylist(_ awaited: Awaited, of track: Track) -> Bool {
        guard !awaited.isInFlight, let gone = track.missingSince, let failed = awaited.failed else { return false }
        return failed.upperBound - max(gone, failed.lowerBound) >= Self.absencePatience
    }

    // MARK: - Hanging requests

    /// Cancels requests that receive nothing while segments requested later arrive: the connection may be dead. Each
    /// segment is requested once more. If it hangs again, it is given up when the live edge has waited long enough.
    func endHangingRequests() async {
        for index in tracks.indices {
            guard let overtaking = tracks[index].overtaking else { continue }
            let patience = Self.patience(tracks[index])
            let hanging = tracks[index].awaited.values.filter { awaited in
                guard awaited.isInFlight, awaited.media == nil, let lastRequested = awaited.lastRequested else {
                    return false
                }
                return lastRequested < overtaking && isHanging(awaited, patience)
            }
            for awaited in hanging { await endHangingRequest(awaited, index, patience) }
        }
    }

    /// Whether no bytes of a segment have been received for too long; false if its progress is unknown.
    private func isHanging(_ awaited: Awaited, _ patience: Duration) -> Bool {
        guard let progressed = awaited.progressed, let requested = awaited.requested else { return false }
        let now = monotonic
        return now - progressed >= patience / Self.patientTargets
            && (awaited.failed == nil || now - requested >= patience)
    }

    private func endHangingRequest(_ seen: Awaited, _ index: Int, _ patience: Duration) async {
        let number = seen.row.number
        let received = await dependencies.place.receivedBytes(of: part(seen.row, track: tracks[index].folder))
        guard let awaited = tracks[index].awaited[number], let fetch = awaited.fetch, fetch == seen.fetch,
            awaited.media == nil
        else { return }
        // A slow segment may continue.
        guard received <= awaited.received else {
            tracks[index].awaited[number]?.received = received
            tracks[index].awaited[number]?.progressed = monotonic
            return
        }
        tracks[index].awaited[number]?.isHanging = true
        fetches[fetch]?.cancel()
        if awaited.failed != nil { lose(index, "its origin sent no data") { $0.row.number == number } }
    }
}
