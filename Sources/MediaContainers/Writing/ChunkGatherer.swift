/// Gathers each track's samples into chunks (ISO/IEC 14496-12, 8.7.4): as many as make a second or 1 MiB, which then lie
/// next to each other in the file.
package struct ChunkGatherer: Sendable {
    /// A chunk that is being gathered.
    package struct Chunk: Sendable {
        /// Its samples, with the sizes that their bytes have.
        package var samples: [MediaSample] = []
        /// Their bytes, one after the other.
        package var bytes: [UInt8] = []
    }

    private static let chunkSize = 1 << 20

    /// What is gathered of each track.
    package private(set) var chunks: [Chunk] = []
    private var timescales: [Int32] = []

    /// Starts without tracks.
    package init() {}

    /// Takes the list of tracks; those known before stay in their places.
    package mutating func setTracks(_ tracks: [MediaTrack]) {
        for track in tracks.dropFirst(chunks.count) {
            chunks.append(Chunk())
            timescales.append(track.timescale)
        }
    }

    /// Whether the chunk of a sample's track is large or long enough without the sample.
    ///
    /// - Throws: ``ContainerError``: `malformed` for a sample of an unknown track, `unrepresentable` for times of which no
    ///   sum can be made.
    package func isComplete(before sample: MediaSample) throws(ContainerError) -> Bool {
        guard chunks.indices.contains(sample.track) else {
            throw ContainerError(.malformed, "a sample of track \(sample.track), which was not announced")
        }
        try sample.checkTimes(timescale: timescales[sample.track])
        guard let first = chunks[sample.track].samples.first else { return false }
        if chunks[sample.track].bytes.count + sample.size > Self.chunkSize { return true }
        if sample.formatIndex != first.formatIndex { return true }
        return sample.dts - first.dts >= Int64(timescales[sample.track])
    }

    /// Adds a sample to the chunk of its track, which is one that ``isComplete(before:)`` knows.
    package mutating func append(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        var sample = sample
        sample.size = bytes.count
        chunks[sample.track].samples.append(sample)
        bytes.withMemoryRebound(to: UInt8.self) { chunks[sample.track].bytes.append(contentsOf: $0) }
    }

    /// Begins a track's next chunk.
    package mutating func clear(_ track: Int) {
        chunks[track].samples.removeAll(keepingCapacity: true)
        chunks[track].bytes.removeAll(keepingCapacity: true)
    }
}
