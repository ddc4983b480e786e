import MediaContainers

/// Counts what a demuxer finds.
struct TrackTallies: SampleSink {
    /// More findings than this are counted only.
    private static let mostDiagnostics = 1000

    /// The tracks, in the order in which samples name them.
    private(set) var tracks: [MediaTrack] = []
    /// What each comes to.
    private(set) var tallies: [TrackTally] = []
    /// What was wrong, in order.
    private(set) var diagnostics: [ContainerDiagnostic] = []
    /// Findings that were left out.
    private(set) var droppedDiagnostics = 0

    mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks = tracks
        while tallies.count < tracks.count { tallies.append(TrackTally()) }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) { add(sample) }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) {
        if diagnostics.count < Self.mostDiagnostics {
            diagnostics.append(diagnostic)
        } else {
            droppedDiagnostics += 1
        }
    }

    /// Counts a sample without its bytes.
    mutating func add(_ sample: MediaSample) {
        guard tallies.indices.contains(sample.track) else { return }
        tallies[sample.track].add(sample)
    }
}
