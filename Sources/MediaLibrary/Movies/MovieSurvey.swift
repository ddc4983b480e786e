internal import MediaCache
internal import MediaContainers

/// Takes all samples of a stream once, and keeps of them what makes the file's index and what knows their bytes again.
final class MovieSurvey: SampleSink {
    /// The file's tables so far.
    private(set) var builder = MovieBuilder()
    private(set) var table = MovieTable()
    private var gatherer = ChunkGatherer()
    /// The step at work, and for each track the one that its chunk began in.
    private var step: Int32 = 0
    private var begun: [Int32] = []
    private var counts: [UInt32] = []

    func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        try builder.setTracks(tracks)
        gatherer.setTracks(tracks)
        table.tracks = tracks
        let added = tracks.count - counts.count
        begun += [Int32](repeating: 0, count: added)
        counts += [UInt32](repeating: 0, count: added)
        table.marks += [[MovieTable.Mark]](repeating: [], count: added)
        table.chunksOfTracks += [[Int32]](repeating: [], count: added)
    }

    func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        let track = sample.track
        if try gatherer.isComplete(before: sample) { try flush(track) }
        if gatherer.chunks[track].samples.isEmpty { begun[track] = step }
        if table.marks[track].last?.step != step {
            table.marks[track].append(MovieTable.Mark(step: step, sample: counts[track]))
        }
        counts[track] += 1
        gatherer.append(sample, bytes: bytes)
    }

    /// Ends a step. A chunk that began in the one before ends too, so that bytes next to each other in the file are not
    /// far from each other in the stream, however seldom a track has a sample.
    ///
    /// - Parameter input: the input that its part was of.
    func endStep(input: Int) throws(ContainerError) {
        for track in begun.indices where begun[track] < step { try flush(track) }
        table.inputs.append(UInt16(truncatingIfNeeded: input))
        step += 1
    }

    /// Ends the last step.
    func finish() throws(ContainerError) {
        for track in begun.indices { try flush(track) }
        guard builder.mediaLength > 0 else {
            throw ContainerError(.malformed, "there is nothing to play: no samples came")
        }
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
                sampleCount: UInt32(truncatingIfNeeded: samples.count), step: begun[track]))
        gatherer.clear(track)
    }
}
