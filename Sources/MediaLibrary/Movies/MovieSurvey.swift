internal import MediaCache
internal import MediaContainers

/// A sink that reads all samples of a stream once to build the movie's index and the table of its chunks.
final class MovieSurvey: SampleSink {
    private(set) var builder = MovieBuilder()
    private(set) var table = MovieTable()
    private var gatherer = ChunkGatherer()
    /// The current step, and the step in which each track's chunk began.
    private var step: Int32 = 0
    private var chunkSteps: [Int32] = []
    private var counts: [UInt32] = []

    func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        try builder.setTracks(tracks)
        gatherer.setTracks(tracks)
        table.tracks = tracks
        let added = tracks.count - counts.count
        chunkSteps += [Int32](repeating: 0, count: added)
        counts += [UInt32](repeating: 0, count: added)
        table.marks += [[MovieTable.Mark]](repeating: [], count: added)
        table.chunksOfTracks += [[Int32]](repeating: [], count: added)
    }

    func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        let track = sample.track
        if try gatherer.isComplete(before: sample) { try flush(track) }
        if gatherer.chunks[track].samples.isEmpty { chunkSteps[track] = step }
        if table.marks[track].last?.step != step {
            table.marks[track].append(MovieTable.Mark(step: step, sample: counts[track]))
        }
        counts[track] += 1
        gatherer.append(sample, bytes: bytes)
    }

    /// Ends a step, which read a part of `input`, and all chunks that began in previous steps. As a result, neighboring
    /// bytes of the movie are also close to each other in the stream, even if a track has few samples.
    func endStep(input: Int) throws(ContainerError) {
        for track in chunkSteps.indices where chunkSteps[track] < step { try flush(track) }
        table.inputs.append(UInt16(truncatingIfNeeded: input))
        step += 1
    }

    func finish() throws(ContainerError) {
        for track in chunkSteps.indices { try flush(track) }
        guard builder.mediaLength > 0 else { throw ContainerError(.malformed, "the stream has no samples") }
        table.settleSteps()
    }

    private func flush(_ track: Int) throws(ContainerError) {
        let samples = gatherer.chunks[track].samples
        guard !samples.isEmpty else { return }
        let offset = builder.mediaLength
        for sample in samples { try builder.add(sample) }
        table.chunksOfTracks[track].append(Int32(truncatingIfNeeded: table.chunks.count))
        table.chunks.append(
            MovieTable.Chunk(
                offset: offset, length: UInt32(truncatingIfNeeded: gatherer.chunks[track].bytes.count),
                checksum: gatherer.chunks[track].bytes.withUnsafeBytes { CRC32C.extend(with: $0) },
                track: UInt16(truncatingIfNeeded: track), firstSample: counts[track] - UInt32(samples.count),
                sampleCount: UInt32(truncatingIfNeeded: samples.count), step: chunkSteps[track]))
        gatherer.clear(track)
    }
}
