internal import MediaCache
internal import MediaContainers

/// A sink that collects the chunks of a movie from its stream, and verifies their checksums.
final class ChunkCollector: SampleSink {
    private struct Cursor {
        /// The number of the track's next sample.
        var sample: UInt32 = 0
        /// The position, among the track's chunks, of the chunk being collected or to be collected next.
        var next = 0
        var collected: UInt32 = 0
        var bytes: [UInt8] = []
    }

    /// Whether samples belong to the run-up and are ignored.
    private(set) var isInRunUp = true
    /// The peak number of bytes in memory.
    private(set) var peakSize = 0
    private let table: MovieTable
    /// The limit for complete chunks after the requested one. Chunks beyond the limit are dropped, and produced again
    /// when needed.
    private let budget: ReaderMemoryBudget
    private var cursors: [Cursor]
    /// The movie's track for each track of the remux; nil if there is none.
    private var routes: [Int?] = []
    private var ready: [Int: [UInt8]] = [:]
    private var readyLength = 0
    private var requested = 0

    init(_ table: MovieTable, _ budget: ReaderMemoryBudget) {
        self.table = table
        self.budget = budget
        cursors = [Cursor](repeating: Cursor(), count: table.tracks.count)
    }

    func begin(at step: Int) {
        isInRunUp = false
        for track in cursors.indices {
            let first = table.firstSample(ofTrack: track, from: step)
            cursors[track].sample = first
            // Chunks that began before the step can't be completed.
            let chunks = table.chunksOfTracks[track]
            cursors[track].next = chunks.firstIndex { table.chunks[Int($0)].firstSample >= first } ?? chunks.count
        }
    }

    /// Sets the requested chunk, and drops earlier ones.
    func request(_ index: Int) {
        requested = index
        for old in ready.keys where old < index { _ = take(old) }
    }

    /// Removes and returns a chunk; nil if it isn't complete.
    func take(_ index: Int) -> [UInt8]? {
        let bytes = ready.removeValue(forKey: index)
        readyLength -= bytes?.count ?? 0
        return bytes
    }

    func mayComplete(_ index: Int) -> Bool {
        guard !isInRunUp else { return true }
        let chunk = table.chunks[index]
        let chunks = table.chunksOfTracks[Int(chunk.track)]
        let next = cursors[Int(chunk.track)].next
        return next < chunks.count && Int(chunks[next]) <= index
    }

    func tracks(_ tracks: [MediaTrack]) { routes = Self.routes(from: tracks, to: table.tracks) }

    func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard !isInRunUp else { return }
        guard routes.indices.contains(sample.track), let track = routes[sample.track] else { throw Self.difference }
        // All chunks of the track are complete, or the last one began before the first step.
        guard cursors[track].next < table.chunksOfTracks[track].count else { return }
        let index = Int(table.chunksOfTracks[track][cursors[track].next])
        let chunk = table.chunks[index]
        let number = cursors[track].sample
        cursors[track].sample += 1
        guard number >= chunk.firstSample else { return }
        guard cursors[track].bytes.count + bytes.count <= Int(chunk.length) else { throw Self.difference }
        bytes.withMemoryRebound(to: UInt8.self) { cursors[track].bytes.append(contentsOf: $0) }
        cursors[track].collected += 1
        peakSize = max(peakSize, readyLength + cursors.reduce(0) { $0 + $1.bytes.count })
        if cursors[track].collected == chunk.sampleCount { try complete(index, chunk, track) }
    }

    private func complete(_ index: Int, _ chunk: MovieTable.Chunk, _ track: Int) throws(ContainerError) {
        let bytes = cursors[track].bytes
        let checksum = bytes.withUnsafeBytes { CRC32C.extend(with: $0) }
        guard bytes.count == Int(chunk.length), checksum == chunk.checksum else { throw Self.difference }
        cursors[track].next += 1
        cursors[track].collected = 0
        cursors[track].bytes = []
        guard index == requested || index > requested && readyLength + bytes.count <= budget.share else { return }
        ready[index] = bytes
        readyLength += bytes.count
    }

    private static var difference: ContainerError {
        ContainerError(.malformed, "the samples differ from those read when the movie was created")
    }

    /// Maps tracks to the movie's tracks of the same kind and codec, preferably with the same ID, language, name and
    /// timescale.
    private static func routes(from tracks: [MediaTrack], to known: [MediaTrack]) -> [Int?] {
        var free = Set(known.indices)
        var routes = [Int?](repeating: nil, count: tracks.count)
        let comparisons: [(MediaTrack, MediaTrack) -> Bool] = [
            {
                $0.id == $1.id && $0.language == $1.language && $0.name == $1.name && $0.timescale == $1.timescale
            }, { _, _ in true },
        ]
        for matches in comparisons {
            for (index, track) in tracks.enumerated() where routes[index] == nil {
                let found = known.indices.first {
                    free.contains($0) && known[$0].kind == track.kind
                        && known[$0].format?.codec == track.format?.codec && matches(known[$0], track)
                }
                routes[index] = found
                if let found { free.remove(found) }
            }
        }
        return routes
    }
}
