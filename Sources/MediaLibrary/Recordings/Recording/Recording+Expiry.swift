internal import Foundation
internal import HLS
internal import MediaCache

extension Recording {
    /// Gives up unavailable segments.
    func expire() {
        let now = monotonic
        for track in tracks where !track.awaited.isEmpty {
            track.noteOvertakenSegments(at: now)
            lose(track, "it left the playlist before it was received") { track.hasLeftPlaylist($0, at: now) }
            lose(track, "it couldn't be fetched") { track.isUnavailable($0) }
            lose(track, "its playlist no longer exists") { track.isOfMissingPlaylist($0) }
            guard track.awaited.waiting > 0 else { continue }
            let waiting = track.awaited.values.filter { $0.media != nil }.map(\.row).sorted {
                $0.number < $1.number
            }
            let surplus = surplus(of: waiting)
            lose(track, "retention removed it before its key or media initialization section was received") {
                !$0.isInFlight && surplus.contains($0.row.number)
            }
        }
    }

    // MARK: - Hanging requests

    /// Cancels requests that receive no data while segments requested later arrive, since their connections may be
    /// dead. Each segment is requested once more. If that request hangs, too, the segment is given up.
    func endHangingRequests() async {
        for track in tracks {
            for segment in track.hangingSegments(at: monotonic) { await endHangingRequest(segment, track) }
        }
    }

    private func endHangingRequest(_ seen: AwaitedSegment, _ track: RecordedTrack) async {
        let number = seen.row.number
        let received = await dependencies.recordingStore.receivedBytes(of: part(seen.row, track: track.folder))
        guard let awaited = track.awaited[number], let fetch = awaited.fetch, fetch == seen.fetch,
            awaited.media == nil
        else { return }
        // A slow transfer continues.
        guard received <= awaited.received else {
            track.awaited[number]?.received = received
            track.awaited[number]?.progressed = monotonic
            return
        }
        track.awaited[number]?.isHanging = true
        fetches[fetch]?.cancel()
        if awaited.failed != nil { lose(track, "its origin sent no data") { $0.row.number == number } }
    }
}
