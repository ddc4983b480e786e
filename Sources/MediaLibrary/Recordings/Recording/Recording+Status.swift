internal import Foundation
internal import HLS
internal import MediaCache

extension Recording {
    /// Reports the state if it has changed.
    func reportState() {
        let state = state
        guard state != lastState else { return }
        lastState = state
        dependencies.events.send(.state(channel.name, state))
    }

    var state: RecordingState {
        if channel.hasEnded { return .ended }
        if isFinishing { return lastState ?? .recording }
        guard isRunning else { return .stopped }
        if let startFailure { return .waiting(startFailure) }
        if tracks.isEmpty { return .starting }
        let now = monotonic
        let patience = Duration.seconds(3 * max(2, tracks.compactMap { $0.follower.known?.targetDuration }.max() ?? 2))
        // A dead rendition doesn't affect the state of the channel.
        let silent = silentTracks
        let tracks = tracks.filter { $0.loadFailure == nil || !silent.contains($0.folder) }
        for track in tracks {
            if let loadFailure = track.loadFailure, now - loadFailure.since > patience {
                return .waiting(loadFailure.reason)
            }
        }
        if tracks.allSatisfy({ $0.loaded != nil && now - $0.renewed > max(patience, .seconds(30)) }) {
            return .waiting("its playlists have no new segments")
        }
        return tracks.contains { $0.loaded == nil } ? .starting : .recording
    }

    /// Whether each playlist has ended, has had no new segments for a long time, or no longer exists.
    var isUnchanged: Bool { !tracks.isEmpty && tracks.allSatisfy { $0.isUnchanged(at: monotonic) } }

    /// The number of target durations without a segment after which a track is silent, and the minimum time.
    private static let silentTargets = 5
    private static let minimumSilence = Duration.seconds(15)

    private var silencePatience: Duration {
        let target = tracks.compactMap { $0.timeline.last?.targetDuration }.max() ?? 1
        return max(.seconds(Self.silentTargets * min(max(1, target), 3600)), Self.minimumSilence)
    }

    /// Whether EXT-X-ENDLIST on some tracks shows that the stream has ended. A track that ended long before another
    /// track's last segment arrived was merely removed from the stream.
    var hasStreamEnded: Bool {
        let ended = tracks.filter { $0.endedSince != nil }
        guard !ended.isEmpty else { return false }
        let others = tracks.filter { $0.endedSince == nil }
        guard let newest = others.compactMap({ $0.timeline.last?.arrived }).max() else { return true }
        guard let last = ended.compactMap({ $0.timeline.last?.arrived }).max() else { return false }
        return newest.clampedSum(-last) <= silencePatience.nanoseconds
    }

    /// The folders of the tracks that receive nothing while others do, such as dead renditions.
    var silentTracks: Set<String> {
        guard tracks.count > 1 else { return [] }
        guard let newest = tracks.compactMap({ $0.timeline.last?.arrived }).max() else { return [] }
        let patience = silencePatience
        let now = monotonic
        let complete = tracks.compactMap(\.fetched).max()
        return Set(
            tracks.filter { track in
                guard let row = track.timeline.last else { return true }
                // Segments or keys of this track fail while another track continues.
                if let failing = track.failing, let complete,
                    now - max(failing, track.recovered) > patience, now - complete < patience
                {
                    return true
                }
                // A slow track that still receives segments isn't silent.
                let isFetching = isRunning && track.fetched.map { now - $0 < patience } ?? false
                return newest.clampedSum(-row.arrived) > patience.nanoseconds
                    && (track.awaited.isEmpty || !isFetching)
            }.map(\.folder))
    }

    /// The live edge: the time up to which every track except silent ones is recorded, in nanoseconds since 1970.
    package var edge: Int64? {
        let silent = silentTracks
        return tracks.lazy.filter { !silent.contains($0.folder) }.compactMap(\.timeline.edgeTime).min()
    }

    func status() -> RecordingStatus {
        let totals = timelines.map(\.totals)
        let ranges = recordedRanges()
        let now = monotonic
        arrivals.removeAll { now - $0.at > .seconds(20) }
        var channel = channel
        channel.programmes = channel.programmes.map(dependencies.exports.current)
        return RecordingStatus(
            channel: channel, state: state, failure: refusal,
            edge: edge.map { Date(nanosecondsSinceEpoch: $0) },
            streamTime: Date(nanosecondsSinceEpoch: streamTime),
            recordedRanges: ranges.map {
                Date(nanosecondsSinceEpoch: $0.lowerBound)..<Date(nanosecondsSinceEpoch: $0.upperBound)
            },
            bytes: totals.reduce(0) { $0 + $1.bytes }, segments: totals.reduce(0) { $0 + $1.segments },
            gaps: totals.map(\.gaps).max() ?? 0,
            gapSeconds: Double(totals.map(\.gapDuration).max() ?? 0) / 1e9,
            rate: Double(arrivals.reduce(0) { $0 + $1.bytes }) / 20, tracks: timelines.map(\.track))
    }
}
