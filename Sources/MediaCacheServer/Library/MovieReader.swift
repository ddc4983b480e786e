import MediaCache
import MediaContainers
import MediaLibrary
import Synchronization

/// A reader of bytes that are made as they are read, by work that may wait.
///
/// One piece is handed out while nothing is made: memory is bounded by it, and by what the source holds.
final class MovieReader<Source: MediaContainers.ByteSource & SendableMetatype>: ByteReader {
    /// What is made at a time.
    private static var pieceLength: Int { 512 << 10 }

    private struct State {
        var position: Int64
        /// What has been made and not been taken yet begins at `position`.
        var piece: (bytes: HeldBytes, taken: Int)?
        var isMaking = false
        var failure: CacheError?
        var onReady: (@Sendable () -> Void)?
        var isCancelled = false
    }

    let head: ResourceHead
    let range: Range<Int64>
    let gaps: [MovieGap]
    private let name: String
    private let onChange: @Sendable () -> Void
    private let turnstile: Turnstile
    /// What ends the source's waiting.
    private let control: WorkControl
    private let source: Mutex<Source>
    private let state: Mutex<State>

    /// - Parameters:
    ///   - source: the bytes; nobody else reads it.
    ///   - gaps: the gaps in the movie.
    ///   - name: what messages call it.
    ///   - turnstile: each who makes a piece holds a thread, and what it waits for needs others.
    ///   - control: what ends the source's waiting.
    ///   - onChange: called when the source can't be read as it was found.
    init(
        _ source: sending Source, head: ResourceHead, range: Range<Int64>, gaps: [MovieGap] = [], name: String,
        turnstile: Turnstile, control: WorkControl, onChange: @escaping @Sendable () -> Void
    ) {
        self.head = head
        self.range = range
        self.gaps = gaps
        self.name = name
        self.onChange = onChange
        self.turnstile = turnstile
        self.control = control
        self.source = Mutex(source)
        state = Mutex(State(position: range.lowerBound))
    }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        let (step, starts) = state.withLock { state -> (ReadStep, Bool) in
            if let failure = state.failure { return (.failed(failure), false) }
            guard state.position < range.upperBound else { return (.end, false) }
            if let piece = state.piece {
                let count = min(maximum, piece.bytes.bytes.count - piece.taken)
                return (.bytes(piece.bytes, offset: Int64(piece.taken), count: count), false)
            }
            state.onReady = onReady
            defer { state.isMaking = true }
            return (.wait, !state.isMaking)
        }
        if starts { make() }
        return step
    }

    func consume(_ count: Int) {
        state.withLock { state in
            state.position += Int64(count)
            state.piece?.taken += count
            if let piece = state.piece, piece.taken >= piece.bytes.bytes.count { state.piece = nil }
        }
    }

    /// Bytes in memory can always be read.
    func readFailed(count: Int, error: any Error) {}

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.onReady = nil
        }
        control.cancel()
    }

    deinit { control.cancel() }

    private func make() {
        Task {
            let result: Result<[UInt8], any Error>
            do {
                result = .success(try await turnstile.pass { try await BlockingWork.run { try self.next() } })
            } catch {
                result = .failure(error)
            }
            made(result)
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

    private func made(_ result: Result<[UInt8], any Error>) {
        let onReady = state.withLock { state -> (@Sendable () -> Void)? in
            state.isMaking = false
            switch result {
            case .success(let bytes) where !bytes.isEmpty:
                state.piece = (HeldBytes(bytes: bytes), 0)
            case .success:
                state.failure = CacheError(.badResponse, "\(name) ended before its index said")
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
