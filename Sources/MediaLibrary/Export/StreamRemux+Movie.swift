package import MediaContainers

extension StreamRemux {
    /// What was written.
    package struct WrittenMovie: Sendable {
        /// What of the stream it shows, in ticks of 90 kHz.
        package var shown: Range<Int64>
        /// What kinds of tracks it has.
        package var kinds: Set<MediaKind>
    }

    /// Writes the stream, or a stretch of it, as one MP4 with its index first.
    ///
    /// - Parameters:
    ///   - file: an empty file.
    ///   - start: where the stretch begins, in seconds from the stream's beginning; nil is that of presentation.
    ///   - end: where it ends; nil is the end.
    ///   - kinds: the tracks that it takes.
    ///   - seconds: about how long all of it lasts.
    ///   - onPart: gets each part when it's done, and how many there are in all; what it throws ends the work.
    /// - Throws: as ``run(into:onPart:)``.
    package mutating func writeMovie(
        to file: some RandomAccessSink, from start: Double?, to end: Double?, kinds: Set<MediaKind>,
        lasting seconds: Double, onPart: (_ done: Int, _ all: Int) throws(ContainerError) -> Void = { _, _ in }
    ) throws(ContainerError) -> WrittenMovie {
        let writer = MovieFileWriter(file, expectedDuration: seconds)
        var output = try run(into: cut(into: KindFilter(writer, kinds: kinds), from: start, to: end), onPart: onPart)
        try output.finish()
        if let start = output.start { output.output.sink.builder.start = (start, 90_000) }
        if let end = output.end { output.output.sink.builder.end = (end, 90_000) }
        _ = try output.output.sink.finish()
        return WrittenMovie(shown: output.shown, kinds: output.output.found)
    }
}
