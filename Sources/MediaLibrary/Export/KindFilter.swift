package import MediaContainers

/// Passes on the samples of tracks of some kinds; the others' tracks are named and stay empty.
package struct KindFilter<Sink: SampleSink>: SampleSink {
    /// What takes them.
    package var sink: Sink
    private let kinds: Set<MediaKind>
    private var isPassed: [Bool] = []
    /// The kinds of the tracks that are passed on.
    package private(set) var found: Set<MediaKind> = []

    /// A filter that passes `kinds`.
    package init(_ sink: Sink, kinds: Set<MediaKind>) {
        self.sink = sink
        self.kinds = kinds
    }

    /// Takes the list of tracks; see `SampleSink`.
    package mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        isPassed = tracks.map { kinds.contains($0.kind) }
        found = kinds.intersection(tracks.map(\.kind))
        try sink.tracks(tracks)
    }

    /// Takes a sample; see `SampleSink`.
    package mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard isPassed.indices.contains(sample.track), isPassed[sample.track] else { return }
        try sink.sample(sample, bytes: bytes)
    }

    /// Takes note of damage; see `SampleSink`.
    package mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        try sink.diagnostic(diagnostic)
    }
}
