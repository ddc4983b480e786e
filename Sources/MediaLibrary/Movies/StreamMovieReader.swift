public import MediaContainers
internal import Synchronization

/// A reader of a ``StreamMovie``. Sequential reads continue the current remux; other reads start a new one.
///
/// A reader keeps the samples of one part of the stream in memory, limited to its share of the ``ReaderMemoryBudget``
/// plus the requested chunk and an incomplete chunk of each track. A chunk lasts about a second and has at most 1 MiB,
/// unless a single frame is larger.
public final class StreamMovieReader<Resources: StreamResources & Sendable>: ByteSource, Sendable {
    private struct Position {
        var run: MovieRun<Resources>?
        var index: Int?
        var bytes: [UInt8] = []
        var peakSize = 0
    }

    private let movie: StreamMovie<Resources>
    private let position = Mutex(Position())
    private let budget: ReaderMemoryBudget
    private let resources: Resources

    init(_ movie: StreamMovie<Resources>, _ budget: ReaderMemoryBudget, _ resources: Resources) {
        self.movie = movie
        self.resources = resources
        self.budget = budget
        budget.enter()
    }

    deinit { budget.leave() }

    /// The length of the file in bytes.
    public var length: Int64 { movie.length }

    /// The peak number of bytes of media in memory.
    var peakSize: Int { position.withLock { $0.peakSize } }

    /// Reads bytes of the file. The call may block its thread, also while another thread reads; see `ByteSource`.
    ///
    /// - Throws: `ContainerError` with `inputOutput` if the stream can no longer be read, or has changed.
    public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        guard offset >= 0, offset < length else { return 0 }
        let end = min(length, offset + Int64(buffer.count))
        var current = offset
        while current < end {
            let target = UnsafeMutableRawBufferPointer(rebasing: buffer[Int(current - offset)..<Int(end - offset)])
            current += Int64(try readRun(at: current, into: target))
        }
        return Int(end - offset)
    }

    private func readRun(at current: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ContainerError) -> Int {
        let headLength = Int64(movie.head.count)
        guard current >= headLength else { return Self.copy(movie.head, from: Int(current), into: buffer) }
        let index = movie.table.chunk(at: current - headLength)
        let start = Int(current - headLength - movie.table.chunks[index].offset)
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

    /// Returns the bytes of a chunk from the current run, or from new runs. Each new run begins earlier, until the
    /// samples match the movie. A run from the beginning of the stream always matches, unless the stream has changed.
    private func chunk(_ index: Int, _ position: inout Position) throws(ContainerError) -> [UInt8] {
        var runUp = 0
        while true {
            var run = position.run.flatMap { runUp == 0 && $0.isNear(index) ? $0 : nil }
            position.run = nil
            if runUp > 0 { run = MovieRun(movie, readingFrom: index, runUp: runUp, budget, resources) }
            var cause: ContainerError?
            do throws(ContainerError) {
                defer { position.peakSize = max(position.peakSize, run?.peakSize ?? 0) }
                if let bytes = try run?.chunk(index) {
                    position.run = run
                    return bytes
                }
            } catch {
                guard error.code != .inputOutput else { throw error }
                cause = error
            }
            if let run, run.isFromStart, runUp > 0 {
                throw ContainerError(.inputOutput, "the stream changed while it was being read", cause: cause)
            }
            runUp = max(1, runUp * 2)
        }
    }
}

/// A memory limit shared equally by concurrent readers of movies.
///
/// Reading a segment produces more bytes than the current request needs. Bytes beyond the limit are dropped and
/// produced again when needed, so more readers take more time rather than more memory.
public final class ReaderMemoryBudget: Sendable {
    private let bytes: Int
    private let least: Int
    private let readers = Atomic(0)

    /// Creates a limit on the total number of bytes.
    ///
    /// - Parameter least: The minimum number of bytes for each reader, even if the total is exceeded.
    public init(of bytes: Int, least: Int = 2 << 20) {
        self.bytes = bytes
        self.least = least
    }

    package var count: Int { readers.load(ordering: .relaxed) }

    /// The number of bytes that one reader may currently keep in memory.
    var share: Int { max(least, bytes / max(1, count)) }

    func enter() { readers.add(1, ordering: .relaxed) }

    func leave() { readers.subtract(1, ordering: .relaxed) }
}
