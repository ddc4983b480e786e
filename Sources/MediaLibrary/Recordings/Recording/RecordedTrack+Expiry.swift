internal import HLS
internal import MediaCache

/// Detection of unavailable segments, which are given up.
extension RecordedTrack {
    /// The number of target durations, and the minimum time, that the live edge waits for a segment that fails while
    /// others arrive. Players hold back three target durations (RFC 8216bis §4.4.3.8).
    private static let patientTargets = 3
    private static let minimumPatience = Duration.seconds(6)
    /// The time after which a segment is given up if segments arrive only on other tracks.
    private static let maximumPatience = Duration.seconds(600)
    /// The minimum time that a segment with cached media waits for its companions after a later segment is complete,
    /// and the maximum time if none is. Without a later segment, players couldn't continue anyway.
    private static let minimumCompanionPatience = Duration.seconds(15)
    private static let maximumCompanionPatience = Duration.seconds(3600)

    private var patience: Duration { max(targetDuration * Self.patientTargets, Self.minimumPatience) }

    /// Notes which segments still wait for their companions although a later segment is complete.
    func noteOvertakenSegments(at now: Duration) {
        guard let completed else { return }
        self.completed = nil
        guard awaited.waiting > 0 else { return }
        for segment in awaited.values
        where segment.row.number < completed && segment.media != nil && segment.overtakenSince == nil {
            awaited[segment.row.number]?.overtakenSince = now
        }
    }

    /// Returns whether a segment has left its playlist and is no longer available.
    func hasLeftPlaylist(_ segment: AwaitedSegment, at now: Duration) -> Bool {
        // While the playlist can't be loaded, it's unknown which segments it lists.
        guard !segment.isInFlight, segment.media == nil, loadFailure == nil, loaded != nil,
            let failed = segment.failed?.upperBound,
            failed > max(segment.seen, recovered), follower.listedSegment(segment.row) == nil
        else { return false }
        // Origins must retain segments for a while after they leave the playlist (RFC 8216bis §6.2.2).
        let isAbsent = segment.absentSince != nil
        let window = Duration.nanoseconds(isAbsent ? 0 : follower.known?.durationNanoseconds ?? 0)
        return now - segment.seen >= max(targetDuration * 3, window)
    }

    /// Returns whether a segment should be given up, because it fails while others arrive or after the stream's
    /// end. False while the playlist can't be loaded, since then the whole origin may be unavailable.
    func isUnavailable(_ segment: AwaitedSegment) -> Bool {
        guard !segment.isInFlight, let failed = segment.failed, loadFailure == nil else { return false }
        // Failures before the playlist recovered don't count, because the origin was unavailable.
        let since = max(failed.lowerBound, recovered)
        if segment.media != nil {
            let companionPatience = max(targetDuration * Self.patientTargets, Self.minimumCompanionPatience)
            if let settled = [segment.overtakenSince, endedSince].compactMap(\.self).min(),
                failed.upperBound - max(since, settled) >= companionPatience
            {
                return true
            }
            return failed.upperBound - failed.lowerBound >= Self.maximumCompanionPatience
        }
        let began = min(since, segment.absentSince ?? since)
        if let ended = endedSince, failed.upperBound - max(began, ended) >= patience { return true }
        let failing = failed.upperBound - began
        if let arrival = segment.arrival, arrival >= since { return failing >= patience }
        // Arrivals on other tracks prove less, since their hosts may differ. The edge ignores a silent track anyway.
        guard let arrival = segment.otherArrival, arrival >= since else { return false }
        return failing >= Self.maximumPatience
    }

    /// Returns whether a segment has failed for a long time after the origin reported that the playlist doesn't exist.
    func isOfMissingPlaylist(_ segment: AwaitedSegment) -> Bool {
        guard !segment.isInFlight, let gone = missingSince, let failed = segment.failed else { return false }
        return failed.upperBound - max(gone, failed.lowerBound) >= Self.absencePatience
    }

    /// Returns the segments whose requests receive no data although segments requested later have arrived.
    func hangingSegments(at now: Duration) -> [AwaitedSegment] {
        guard let overtaking else { return [] }
        return awaited.values.filter { segment in
            guard segment.isInFlight, segment.media == nil, let lastRequested = segment.lastRequested,
                let progressed = segment.progressed, let requested = segment.requested
            else { return false }
            return lastRequested < overtaking && now - progressed >= patience / Self.patientTargets
                && (segment.failed == nil || now - requested >= patience)
        }
    }

    // MARK: - End of the playlist

    /// The minimum time for which a playlist must have EXT-X-ENDLIST before it counts as ended.
    static let minimumVerification = Duration.seconds(10)
    /// The minimum time until a track without new segments has ended, and until a missing playlist's segments are lost.
    static let absencePatience = Duration.seconds(60)
    /// The time after which a missing playlist counts as ended, and after which an ended stream stops waiting for its
    /// remaining segments if the origin is unavailable.
    static let endPatience = Duration.seconds(300)

    /// Returns whether the playlist is assumed to be final, and all its segments have been recorded or lost.
    ///
    /// EXT-X-ENDLIST must persist for a while, since it may be a mistake. Without EXT-X-ENDLIST, a paused live stream
    /// looks like an ended one, so the playlist is final only after a long time without new segments.
    func isUnchanged(at now: Duration) -> Bool {
        guard awaited.isEmpty, !isAppending else { return false }
        let verification = max(targetDuration * 3, Self.minimumVerification)
        if let since = endedSince, let loaded, loaded - since >= verification { return true }
        if loadFailure != nil { return missingSince.map { now - $0 >= Self.endPatience } ?? false }
        if endedSince != nil { return false }
        guard loaded != nil, now - renewed >= Self.absencePatience else { return false }
        let longest = follower.known?.segments.map(\.duration.nanoseconds).max() ?? 0
        let unit = max(targetDuration, .nanoseconds(longest))
        return now - renewed >= unit * (hasChanged ? 10 : 3)
    }

    /// Returns whether the playlist has failed for so long, with no segment arriving, that an ended stream won't wait.
    func isUnavailable(at now: Duration) -> Bool {
        guard let loadFailure else { return false }
        return now - max(loadFailure.since, fetched ?? loadFailure.since) >= Self.endPatience
    }
}
