import MediaCache
import MediaContainers
import MediaLibrary
import Synchronization

/// A reader of bytes that blocking work generates on demand.
///
/// It generates a piece when the previous one has been consumed, so it needs the memory of one piece and of the source.
final class MovieReader<Source: ByteSource & SendableMetatype>: ByteReader {
    private static var pieceLength: Int { 512 << 10 }

    private struct State {
        var position: Int64
        /// The generated piece. The byte after its first `consumed` bytes is at `position`.
        var piece: (bytes: MemoryBytes, consumed: Int)?
        var isGenerating = false
        var failure: CacheError?
        var onReady: (@Sendable () -> Void)?
        var isCancelled = false
    }

    let head: ResourceHead
    let range: Range<Int64>
    let windowStart: Int64?
    let gaps: [MovieGap]
    private let name: String
    private let onChange: @Sendable () -> Void
    private let limit: ConcurrencyLimit
    private let control: OperationControl
    private let source: Mutex<Source>
    private let state: Mutex<State>

    /// - Parameters:
    ///   - source: The source, used by no other reader.
    ///   - limit: The limit of concurrent generation. Each reader blocks a thread while it waits for work on other
    ///     threads.
    ///   - onChange: Called when the source has changed and can't be read.
    init(
        _ source: sending Source, head: ResourceHead, range: Range<Int64>, windowStart: Int64? = nil,
        gaps: [MovieGap] = [], name: String, limit: ConcurrencyLimit, control: OperationControl,
        onChange: @escaping @Sendable () -> Void
    ) {
        self.head = head
        self.range = range
        self.windowStart = windowStart
        self.gaps = gaps
        self.name = name
        self.onChange = onChange
        self.limit = limit
        self.control = control
        self.source = Mutex(source)
        state = Mutex(State(position: range.lowerBound))
    }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        let (step, starts) = state.withLock { state -> (ReadStep, Bool) in
            if let failure = state.failure { return (.failed(failure), false) }
            guard state.position < range.upperBound else { return (.end, false) }
            if let piece = state.piece {
                let count = min(maximum, piece.bytes.bytes.count - piece.consumed)
                return (.bytes(piece.bytes, offset: Int64(piece.consumed), count: count), false)
            }
            state.onReady = onReady
            defer { state.isGenerating = true }
            return (.wait, !state.isGenerating)
        }
        if starts { generate() }
        return step
    }

    func consume(_ count: Int) {
        state.withLock { state in
            state.position += Int64(count)
            state.piece?.consumed += count
            if let piece = state.piece, piece.consumed >= piece.bytes.bytes.count { state.piece = nil }
        }
    }

    // Bytes in memory can always be read.
    func readFailed(count: Int, error: any Error) {}

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.onReady = nil
        }
        control.cancel()
    }

    deinit { control.cancel() }

    private func generate() {
        Task {
            let result: Result<[UInt8], any Error>
            do {
                result = .success(try await limit.run { try await BlockingOperation.run { try self.next() } })
            } catch {
                result = .failure(error)
            }
            generated(result)
        }
    }

    private func next() throws -> [UInt8] {
        let (position, isCancelled) = state.withLock { ($0.position, $0.isCancelled) }
        if isCancelled { throw CancellationError() }
        let count = Int(min(Int64(Self.pieceLength), range.upperBound - position))
        return try source.withLock { source in
            try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                initialized = try source.read(at: position, into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    private func generated(_ result: Result<[UInt8], any Error>) {
        let onReady = state.withLock { state -> (@Sendable () -> Void)? in
            state.isGenerating = false
            switch result {
            case .success(let bytes) where !bytes.isEmpty: state.piece = (MemoryBytes(bytes: bytes), 0)
            case .success:
                state.failure = CacheError(.badResponse, "\(name) ended earlier than its index indicates")
            case .failure(let error as ContainerError) where !(error.cause is CancellationError):
                state.failure = CacheError(.representationChanged, "\(name): \(error)", cause: error)
            case .failure(let error):
                state.failure = CacheError.wrap(error, as: .storage, "\(name) can't be read")
            }
            defer { state.onReady = nil }
            return state.onReady
        }
        if case .failure(let error as ContainerError) = result, !(error.cause is CancellationError) { onChange() }
        onReady?()
    }
}
