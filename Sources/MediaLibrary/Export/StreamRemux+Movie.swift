package import MediaContainers

extension StreamRemux {
    /// The properties of a written MP4.
    package struct WrittenMovie: Sendable {
        /// The range of the stream's timeline that it displays, in 90 kHz ticks.
        package var shown: Range<Int64>
        package var kinds: Set<MediaKind>
    }

    /// Writes the stream, or a time range of it, as one MP4 with its index at the beginning.
    ///
    /// - Parameters:
    ///   - file: An empty file.
    ///   - start: The start in seconds from the stream's beginning; nil means the beginning of presentation.
    ///   - seconds: The approximate duration in seconds.
    ///   - items: The descriptive metadata of the MP4.
    package mutating func writeMovie(
        to file: some RandomAccessSink, from start: Double?, to end: Double?, kinds: Set<MediaKind>,
        duration seconds: Double, items: ItemList = ItemList(),
        onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) -> WrittenMovie {
        var writer = MovieFileWriter(file, expectedDuration: seconds)
        writer.builder.items = items
        var output = try run(into: cut(into: KindFilter(writer, kinds: kinds), from: start, to: end), onPart: onPart)
        try output.finish()
        if let start = output.start { output.output.sink.builder.start = (start, 90_000) }
        if let end = output.end { output.output.sink.builder.end = (end, 90_000) }
        _ = try output.output.sink.finish()
        return WrittenMovie(shown: output.shown, kinds: output.output.found)
    }
}

/// The beginning of presentation on a stream's timeline: the start of the first part with samples.
package final class PresentationStart {
    /// The seconds from the stream's beginning; nil until a part has been read.
    package internal(set) var seconds: Double?

    init() {}
}

/// A filter that passes on the samples of certain kinds of tracks. Other tracks are announced, but remain empty.
package struct KindFilter<Sink: SampleSink>: SampleSink {
    package var sink: Sink
    private let kinds: Set<MediaKind>
    private var isPassed: [Bool] = []
    /// The kinds of the tracks that are passed on.
    package private(set) var found: Set<MediaKind> = []

    package init(_ sink: Sink, kinds: Set<MediaKind>) {
        self.sink = sink
        self.kinds = kinds
    }

    package mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        isPassed = tracks.map { kinds.contains($0.kind) }
        found = kinds.intersection(tracks.map(\.kind))
        try sink.tracks(tracks)
    }

    package mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard isPassed.indices.contains(sample.track), isPassed[sample.track] else { return }
        try sink.sample(sample, bytes: bytes)
    }

    package mutating func diagnostic(_ diagnostic: ContainerDiagnostic) throws(ContainerError) {
        try sink.diagnostic(diagnostic)
    }
}
