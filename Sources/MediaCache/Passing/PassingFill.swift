import HTTPTypes
import Synchronization

/// An origin request for bytes that can't or must not be stored. They pass through a ring buffer shared by the readers.
///
/// Bytes are received only while the ring has space. If no reader consumes bytes for longer than the idle limit, the
/// connection is closed and other transfers are admitted; a later request continues at the next byte. The fill ends
/// when its last reader leaves.
final class PassingFill: Sendable {
    /// The properties that affect the request or its result. Readers share a fill only if these are equal.
    struct Audience: Hashable {
        var fields: HTTPFields
        var scope: AddressScope
        var kind: ResourceKind
        var transform: AppliedTransform?
    }

    /// The time that a fill waits for its first reader.
    private static let patience = Duration.seconds(1)

    /// The result of a poll.
    enum Step {
        case bytes(Range<Int64>)
        case wait
        case end
        case failed(CacheError)
    }

    private struct State {
        var window: RingWindow
        var memory: [UInt8] = []
        /// Whether all bytes were received, or the request has failed.
        var isOver = false
        var failure: CacheError?
        /// The task that ends the fill if the expected readers don't join.
        var patience: Task<Void, Never>?
        var isEnded = false
        var spaceWaiter: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
    }

    let audience: Audience
    private let transfer: Transfer
    private let check: FrontCheck?
    private let onLength: @Sendable (Int64) -> Void
    private let onEnd: @Sendable (PassingFill) -> Void
    private let state: OrderedMutex<State>

    /// Creates a fill. It begins with ``start()``.
    ///
    /// - Parameters:
    ///   - transfer: The transfer of the bytes from the window's start to its limit.
    ///   - check: The check of the version's first bytes; nil if the reader's response has been checked.
    ///   - onLength: Called with the complete length if it was unknown before the end of the body.
    ///   - onEnd: Called when the fill has ended and no reader can join any more.
    init(
        _ window: RingWindow, from transfer: Transfer, audience: Audience, check: FrontCheck?,
        onLength: @escaping @Sendable (Int64) -> Void,
        onEnd: @escaping @Sendable (PassingFill) -> Void
    ) {
        self.audience = audience
        self.transfer = transfer
        self.check = check
        self.onLength = onLength
        self.onEnd = onEnd
        state = OrderedMutex(.passingFill, State(window: window))
        transfer.ticket.follow { [weak self] in self?.transferClass }
    }

    /// Begins to read from the origin.
    func start() {
        let task = Task { await run() }
        let isEnded = state.withLock { state in
            state.task = task
            return state.isEnded
        }
        if isEnded { task.cancel() }
    }

    // MARK: - Readers

    /// Adds a reader at `position`. Returns nil if the byte is no longer in the ring, or too far ahead.
    func join(at position: Int64, until end: Int64, _ transferClass: TransferClass) -> PassThrough? {
        let id = state.withLock { state -> Int? in
            guard !state.isEnded, state.failure == nil, state.window.reaches(position),
                !state.isOver || position < state.window.end
            else { return nil }
            return state.window.join(at: position, transferClass)
        }
        guard let id else { return nil }
        transfer.ticket.classChanged()
        return PassThrough(fill: self, id: id, end: end)
    }

    /// Adds the fill's first reader.
    func addFirstReader(at position: Int64, until end: Int64, _ transferClass: TransferClass) -> PassThrough {
        let id = state.withLock { $0.window.join(at: position, transferClass) }
        return PassThrough(fill: self, id: id, end: end)
    }

    /// Adds a reader that only preserves received bytes for readers that are about to join, until it's released.
    func hold() -> PassThrough {
        let id = state.withLock { state in
            state.window.join(at: state.window.start, .background, isHold: true)
        }
        return PassThrough(fill: self, id: id, end: .max)
    }

    /// Returns the bytes available to a reader; see ``PassThrough/poll(maximum:onReady:)``.
    func poll(_ id: Int, until end: Int64, onReady: @escaping @Sendable () -> Void) -> Step {
        // Released outside the lock, since its deinitialization may acquire other locks.
        var replaced: (@Sendable () -> Void)?
        defer { withExtendedLifetime(replaced) {} }
        return state.withLock { state in
            guard !state.isEnded, let position = state.window.readers[id]?.position, position < end else {
                return .end
            }
            if position < state.window.end { return .bytes(position..<min(state.window.end, end)) }
            if let failure = state.failure { return .failed(failure) }
            if state.isOver { return .end }
            replaced = state.window.setWake(onReady, of: id)
            return .wait
        }
    }

    /// Copies bytes from the ring. Returns false if they are no longer in it.
    func copy(to buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
        state.withLock { state in
            guard offset >= state.window.start, offset + Int64(buffer.count) <= state.window.end,
                !state.memory.isEmpty
            else { return false }
            state.memory.withUnsafeBytes { memory in
                let from = Int(offset % Int64(memory.count))
                let first = min(buffer.count, memory.count - from)
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[from..<from + first]))
                UnsafeMutableRawBufferPointer(rebasing: buffer[first...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<(buffer.count - first)]))
            }
            return true
        }
    }

    func consume(_ count: Int, by id: Int) {
        state.withLock { $0.window.consume(count, by: id) }
        checkSpace()
    }

    /// Removes a reader. This doesn't wake any reader, since the caller may hold a lock.
    ///
    /// - Returns: The wake function of the removed reader if it's waiting.
    @discardableResult
    func leave(_ id: Int) -> (@Sendable () -> Void)? {
        let (left, isUnsupported, hasHadReaders) = state.withLock { state in
            (state.window.leave(id), state.window.readers.isEmpty, state.window.hasHadReaders)
        }
        guard let left else { return nil }
        if !isUnsupported {
            transfer.ticket.classChanged()
            checkSpace()
        } else if hasHadReaders {
            end()
        } else {
            endWithoutReaders()
        }
        return left.wake
    }

    /// Ends the fill if no reader joins within ``patience``.
    private func endWithoutReaders() {
        let time = transfer.engine.time
        let task = Task { [weak self] in
            guard (try? await time.sleep(for: Self.patience)) != nil, let self,
                state.withLock({ $0.window.readers.isEmpty })
            else { return }
            end()
        }
        let before = state.withLock { state in
            defer { state.patience = task }
            return state.isEnded ? task : state.patience
        }
        before?.cancel()
    }

    deinit { state.withLock { $0.patience }?.cancel() }

    /// Ends the fill, because it has no readers or the store is closed or suspended.
    func end() {
        let (task, patience, spaceWaiter, wakes) = state.withLock { state in
            state.isEnded = true
            defer {
                state.spaceWaiter = nil
                state.patience = nil
            }
            return (state.task, state.patience, state.spaceWaiter, state.window.takeWakes())
        }
        task?.cancel()
        patience?.cancel()
        spaceWaiter?.resume()
        for wake in wakes { wake() }
        onEnd(self)
    }

    private var transferClass: TransferClass? { state.withLock { $0.window.transferClass } }

    /// Resumes the fill if the ring has space.
    private func checkSpace() {
        let now = transfer.engine.time.monotonic
        let spaceWaiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.spaceWaiter != nil else { return nil }
            // Uses a copy, because only the task that receives bytes may remove readers; it also wakes them.
            var window = state.window
            guard window.makeSpace(now: now).count > 0 else {
                state.window.charge(now: now)
                return nil
            }
            defer { state.spaceWaiter = nil }
            return state.spaceWaiter
        }
        spaceWaiter?.resume()
    }

    // MARK: - Filling

    private func run() async {
        transfer.engine.counters.add(\.runningFills)
        var failure: CacheError?
        var check = check
        do {
            let length = try await transfer.receive { piece in
                guard piece.withUnsafeBytes({ check?.permits($0, at: piece.offset) }) ?? true else {
                    throw CacheError(
                        .representationChanged, "the resource has changed at the origin: it's a playlist now")
                }
                try await append(piece)
                return true
            }
            if let length { onLength(length) }
            // Otherwise, readers would repeat the request endlessly.
            if length == nil, state.withLock({ $0.window.end < $0.window.limit && $0.window.limit < .max }) {
                throw CacheError(.badResponse, "the origin's response ended before the end of the requested range")
            }
        } catch {
            failure = CacheError.wrap(error, as: .unreachable, "the origin can't be read")
        }
        await transfer.end()
        transfer.engine.counters.add(\.runningFills, -1)
        let wakes = state.withLock { state in
            state.isOver = true
            state.failure = failure
            return state.window.takeWakes()
        }
        for wake in wakes { wake() }
    }

    private func append(_ piece: OriginPiece) async throws {
        var written = 0
        while written < piece.part.count {
            try Task.checkCancellation()
            let now = transfer.engine.time.monotonic
            let (count, wakes) = state.withLock { state -> (Int, [@Sendable () -> Void]) in
                let space = state.window.makeSpace(now: now)
                let count = min(space.count, piece.part.count - written)
                if count > 0 { Self.write(piece, from: written, count: count, to: &state) }
                let woken = count > 0 ? state.window.didAppend(count) : []
                return (count, woken + space.fallen.compactMap(\.wake))
            }
            for wake in wakes { wake() }
            written += count
            if count == 0 { await waitForSpace() }
        }
    }

    private static func write(_ piece: OriginPiece, from offset: Int, count: Int, to state: inout State) {
        if state.memory.isEmpty { state.memory = Array(repeating: 0, count: state.window.size) }
        let end = state.window.end
        state.memory.withUnsafeMutableBytes { memory in
            piece.withUnsafeBytes { bytes in
                let to = Int(end % Int64(memory.count))
                let first = min(count, memory.count - to)
                UnsafeMutableRawBufferPointer(rebasing: memory[to..<to + first])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + first]))
                UnsafeMutableRawBufferPointer(rebasing: memory[..<(count - first)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset + first..<offset + count]))
            }
        }
    }

    private func waitForSpace() async {
        let (limit, time) = (transfer.engine.transfers.idleLimit, transfer.engine.time)
        let idle = Task {
            guard (try? await time.sleep(for: RingWindow.grace)) != nil else { return }
            checkSpace()
            guard (try? await time.sleep(for: limit)) != nil else { return }
            await transfer.reader.close()
            transfer.ticket.endAdmission()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.spaceWaiter = continuation }
                if Task.isCancelled { resumeSpaceWaiter() } else { checkSpace() }
            }
        } onCancel: {
            resumeSpaceWaiter()
        }
        idle.cancel()
    }

    private func resumeSpaceWaiter() {
        let spaceWaiter = state.withLock { state in
            defer { state.spaceWaiter = nil }
            return state.spaceWaiter
        }
        spaceWaiter?.resume()
    }
}
