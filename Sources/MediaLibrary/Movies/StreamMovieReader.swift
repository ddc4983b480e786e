public import MediaContainers
internal import Synchronization

/// Reads a movie that isn't written. Reading straight on goes on with the remux that is under way; elsewhere another is
/// begun.
///
/// It holds what one part of the stream brings, at most its share of the ``SharedHolding`` and the longest frame.
public final class StreamMovieReader<Resources: StreamResources & Sendable>: ByteSource, Sendable {
    /// Where it reads.
    private struct Position {
        var run: MovieRun<Resources>?
        /// The chunk last read.
        var index: Int?
        var bytes: [UInt8] = []
        var mostHeld = 0
    }

    private let movie: StreamMovie<Resources>
    private let position = Mutex(Position())
    private let holding: SharedHolding
    private let resources: Resources

    init(_ movie: StreamMovie<Resources>, _ holding: SharedHolding, _ resources: Resources) {
        self.movie = movie
        self.resources = resources
        self.holding = holding
        holding.enter()
    }

    deinit { holding.leave() }

    /// The file's length in bytes.
    public var length: Int64 { movie.length }

    /// The most bytes of media that were held at any time.
    var mostHeld: Int { position.withLock { $0.mostHeld } }

    /// Reads bytes of the file, on a thread that may wait; see `ByteSource`.
    ///
    /// - Throws: `ContainerError`: `inputOutput` where the stream can't be read any more, or isn't what it was.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        guard offset >= 0, offset < length else { return 0 }
        let end = min(length, offset + Int64(buffer.count))
        var place = offset
        while place < end {
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[Int(place - offset)..<Int(end - offset)])
            place += Int64(try readRun(at: place, into: target))
        }
        return Int(end - offset)
    }

    /// Reads as much as lies next to each other, of the head or of a chunk.
    private func readRun(at place: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        let headLength = Int64(movie.head.count)
        guard place >= headLength else { return Self.copy(movie.head, from: Int(place), into: buffer) }
        let index = movie.table.chunk(at: place - headLength)
        let start = Int(place - headLength - movie.table.chunks[index].offset)
        return try position.withLock { (position) throws(ContainerError) in
            if position.index != index {
                position.index = nil
                position.bytes = try chunk(index, &position)
                position.index = index
            }
            return Self.copy(position.bytes, from: start, into: buffer)
        }
    }

    private static func copy(_ bytes: [UInt8], from start: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, bytes.count - start)
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
        return count
    }

    /// A chunk's bytes: of the run under way, else of one that begins before it, as far as it takes for it to bring what
    /// the movie is made of. From the stream's beginning it can't but bring the same, as long as the stream is the same.
    private func chunk(_ index: Int, _ position: inout Position) throws(ContainerError) -> [UInt8] {
        var runUp = 0
        while true {
            var run = position.run.flatMap { runUp == 0 && $0.isNear(index) ? $0 : nil }
            position.run = nil
            if runUp > 0 { run = MovieRun(movie, toGive: index, runUp: runUp, holding, resources) }
            var cause: ContainerError?
            do throws(ContainerError) {
                defer { position.mostHeld = max(position.mostHeld, run?.mostHeld ?? 0) }
                if let bytes = try run?.chunk(index) {
                    position.run = run
                    return bytes
                }
            } catch {
                guard error.code != .inputOutput else { throw error }
                cause = error
            }
            if let run, run.isFromStart, runUp > 0 {
                throw ContainerError(.inputOutput, "the stream changed while it was read", cause: cause)
            }
            runUp = max(1, runUp * 2)
        }
    }
}
