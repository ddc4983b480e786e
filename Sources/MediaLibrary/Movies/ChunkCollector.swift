internal import MediaCache
internal import MediaContainers

/// Takes the samples of a stream that is read again, and hands out chunks of its movie that were compared with their
/// checksums.
final class ChunkCollector: SampleSink {
    /// A track of the movie.
    private struct Cursor {
        /// The number of its next sample.
        var sample: UInt32 = 0
        /// Which of its chunks is gathered, or will be.
        var next = 0
        var gathered: UInt32 = 0
        var bytes: [UInt8] = []
    }

    /// Whether samples are those that come before the place to begin at, and aren't taken.
    private(set) var isRunningUp = true
    /// The most bytes that were held at any time.
    private(set) var mostHeld = 0
    private let table: MovieTable
    /// More bytes than these don't wait for those before them: they are made once more.
    private let holding: SharedHolding
    private var cursors: [Cursor]
    /// The movie's track for each of the remux's.
    private var routes: [Int?] = []
    private var ready: [Int: [UInt8]] = [:]
    private var readyLength = 0
    private var wanted = 0

    init(_ table: MovieTable, _ holding: SharedHolding) {
        self.table = table
        self.holding = holding
        cursors = [Cursor](repeating: Cursor(), count: table.tracks.count)
    }

    /// Says that the next samples are those of a step.
    func begin(at step: Int) {
        isRunningUp = false
        for track in cursors.indices {
            let first = table.firstSample(ofTrack: track, from: step)
            cursors[track].sample = first
            // One that began before can't be put together.
            let chunks = table.chunksOfTracks[track]
            cursors[track].next = chunks.firstIndex { table.chunks[Int($0)].firstSample >= first } ?? chunks.count
        }
    }

    /// Says which chunk is read next; those before it aren't kept.
    func want(_ index: Int) {
        wanted = index
        for old in ready.keys where old < index { _ = take(old) }
    }

    /// A chunk that is here. It is no longer here afterwards.
    func take(_ index: Int) -> [UInt8]? {
        let bytes = ready.removeValue(forKey: index)
        readyLength -= bytes?.count ?? 0
        return bytes
    }

    /// Whether a chunk that isn't here may still come.
    func mayGive(_ index: Int) -> Bool {
        guard !isRunningUp else { return true }
        let chunk = table.chunks[index]
        let chunks = table.chunksOfTracks[Int(chunk.track)]
        let next = cursors[Int(chunk.track)].next
        return next < chunks.count && Int(chunks[next]) <= index
    }

    func tracks(_ tracks: [MediaTrack]) {
        routes = Self.routes(from: tracks, to: table.tracks)
    }

    func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard !isRunningUp else { return }
        guard routes.indices.contains(sample.track), let track = routes[sample.track] else { throw Self.difference }
        // The last chunk began before, or was it.
        guard cursors[track].next < table.chunksOfTracks[track].count else { return }
        let index = Int(table.chunksOfTracks[track][cursors[track].next])
        let chunk = table.chunks[index]
        let number = cursors[track].sample
        cursors[track].sample += 1
        guard number >= chunk.firstSample else { return }
        guard cursors[track].bytes.count + bytes.count <= Int(chunk.length) else { throw Self.difference }
        bytes.withMemoryRebound(to: UInt8.self) { cursors[track].bytes.append(contentsOf: $0) }
        cursors[track].gathered += 1
        mostHeld = max(mostHeld, readyLength + cursors.reduce(0) { $0 + $1.bytes.count })
        if cursors[track].gathered == chunk.sampleCount { try complete(index, chunk, track) }
    }

    private func complete(_ index: Int, _ chunk: MovieTable.Chunk, _ track: Int) throws(ContainerError) {
        let bytes = cursors[track].bytes
        let checksum = bytes.withUnsafeBytes { CRC32C.extend(with: $0) }
        guard bytes.count == Int(chunk.length), checksum == chunk.checksum else { throw Self.difference }
        cursors[track].next += 1
        cursors[track].gathered = 0
        cursors[track].bytes = []
        guard index == wanted || index > wanted && readyLength + bytes.count <= holding.share else { return }
        ready[index] = bytes
        readyLength += bytes.count
    }

    /// What came isn't what the movie is made of.
    private static var difference: ContainerError {
        ContainerError(.malformed, "the samples differ from those that came before")
    }

    /// Finds tracks again where fewer of them have begun: by all that names them, else by what they carry.
    private static func routes(from tracks: [MediaTrack], to known: [MediaTrack]) -> [Int?] {
        var free = Set(known.indices)
        var routes = [Int?](repeating: nil, count: tracks.count)
        let comparisons: [(MediaTrack, MediaTrack) -> Bool] = [
            {
                $0.id == $1.id && $0.language == $1.language && $0.name == $1.name && $0.timescale == $1.timescale
            }, { _, _ in true },
        ]
        for isLike in comparisons {
            for (index, track) in tracks.enumerated() where routes[index] == nil {
                let found = known.indices.first {
                    free.contains($0) && known[$0].kind == track.kind
                        && known[$0].format?.codec == track.format?.codec && isLike(known[$0], track)
                }
                routes[index] = found
                if let found { free.remove(found) }
            }
        }
        return routes
    }
}
