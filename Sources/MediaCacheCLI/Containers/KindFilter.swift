import MediaContainers

/// Passes on the samples of tracks of some kinds; the others' tracks are named and stay empty.
struct KindFilter<Sink: SampleSink>: SampleSink {
    /// What takes them.
    var sink: Sink
    private let kinds: Set<MediaKind>
    private var isPassed: [Bool] = []

    /// A filter that passes `kinds`.
    init(_ sink: Sink, kinds: Set<MediaKind>) {
        self.sink = sink
        self.kinds = kinds
    }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        isPassed = tracks.map { kinds.contains($0.kind) }
        try sink.tracks(tracks)
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard isPassed.indices.contains(sample.track), isPassed[sample.track] else { return }
        try sink.sample(sample, bytes: bytes)
    }

    mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        try sink.diagnostic(diagnostic)
    }
}
