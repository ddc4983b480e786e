import HTTPTypes

/// An origin request for bytes that can't or must not be stored. Its readers share a blob in memory.
///
/// Bytes are received only while the blob has space. If it has none for longer than the idle limit, the connection is
/// closed and other transfers are admitted; a later request continues at the next byte. If no strong validator confirms
/// the version, that request repeats bytes that are still in the blob, which are compared. The fill ends when its last
/// reader leaves.
final class MemoryFill: Sendable {
    /// The properties that affect the request or its result. Readers share a fill only if these are equal.
    struct Audience: Hashable {
        var fields: HTTPFields
        var scope: AddressScope
        var kind: ResourceKind
        var transform: AppliedTransform?
    }

    /// The time that a fill waits for its first reader.
    private static let patience = Duration.seconds(1)

    private struct State {
        var blob: MemoryBlob
        /// Whether all bytes were received, or the request has failed.
        var isOver = false
        var failure: CacheError?
        var isEnded = false
        var task: Task<Void, Never>?
    }

    let audience: Audience
    private let transfer: Transfer
    private let check: FrontCheck?
    private let onLength: @Sendable (Int64) -> Void
    private let onEnd: @Sendable (MemoryFill) -> Void
    private let state: OrderedMutex<State>
    /// Sent when a reader has consumed bytes or left, or when slow readers may be removed.
    private let readersChanged = ChangeSignal()

    /// - Parameters:
    ///   - blob: The blob that stores the received bytes.
    ///   - transfer: The transfer of the bytes from the blob's end to its limit.
    ///   - check: The check of the version's first bytes; nil if the reader's response has been checked.
    ///   - onLength: Called with the complete length if the responses have determined it.
    ///   - onEnd: Called when the fill has ended and no reader can join any more.
    init(
        _ blob: MemoryBlob, from transfer: Transfer, audience: Audience, check: FrontCheck?,
        onLength: @escaping @Sendable (Int64) -> Void,
        onEnd: @escaping @Sendable (MemoryFill) -> Void
    ) {
        self.audience = audience
        self.transfer = transfer
        self.check = check
        self.onLength = onLength
        self.onEnd = onEnd
        state = OrderedMutex(.memoryFill, State(blob: blob))
        transfer.ticket.follow { [weak self] in self?.transferClass }
    }

    func start() {
        let task = Task { await run() }
        let isEnded = state.withLock { state in
            state.task = task
            return state.isEnded
        }
        if isEnded { task.cancel() }
    }

    // MARK: - Readers

    /// Adds a reader at `position`. Returns nil if the byte is no longer in memory or too far ahead, or if the fill has
    /// failed or ended.
    func join(at position: Int64, until end: Int64, _ transferClass: TransferClass) -> Reader? {
        let id = state.withLock { state -> Int? in
            guard !state.isEnded, state.failure == nil, state.blob.reaches(position),
                !state.isOver || position < state.blob.end
            else { return nil }
            return state.blob.join(at: position, transferClass)
        }
        guard let id else { return nil }
        transfer.ticket.classChanged()
        return Reader(fill: self, id: id, end: end)
    }

    /// Adds a reader that only preserves received bytes for readers that are about to join, until it's released.
    func hold() -> Reader {
        let id = state.withLock { state in
            state.blob.join(at: state.blob.start, .background, isHold: true)
        }
        return Reader(fill: self, id: id, end: .max)
    }

    final class Reader: Sendable, BlobReader {
        private let fill: MemoryFill
        private let id: Int
        /// The exclusive end of the reader's range.
        private let end: Int64

        fileprivate init(fill: MemoryFill, id: Int, end: Int64) {
            self.fill = fill
            self.id = id
            self.end = end
        }

        deinit { fill.leave(id) }

        /// Returns the next step. For a reader that was removed because it was too slow, the step is an early `end`;
        /// its session then continues with another fill.
        ///
        /// - Parameter onReady: If the result is `wait`, called once when another poll can succeed.
        func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
            // Released outside the lock, since its deinitialization may acquire other locks.
            var replaced: (@Sendable () -> Void)?
            defer { withExtendedLifetime(replaced) {} }
            return fill.state.withLock { state in
                guard !state.isEnded, let position = state.blob.readers[id]?.position, position < end else {
                    return .end
                }
                let count = min(state.blob.end, end) - position
                if count > 0 { return .bytes(self, offset: position, count: Int(min(Int64(maximum), count))) }
                if let failure = state.failure { return .failed(failure) }
                if state.isOver { return .end }
                replaced = state.blob.setWake(onReady, of: id)
                return .wait
            }
        }

        func consume(_ count: Int) {
            fill.state.withLock { $0.blob.consume(count, by: id) }
            fill.readersChanged.send()
        }

        /// Removes the reader from the fill, and wakes it if it's waiting. Further calls have no effect.
        func cancel() { fill.leave(id)?() }

        func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
            guard fill.state.withLock({ $0.blob.copy(to: buffer, at: offset) }) else {
                throw CacheError(.storage, "the bytes at \(offset) are no longer in memory")
            }
            return true
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
            _ = try readWithoutBlocking(into: buffer, at: offset)
        }
    }

    /// Removes a reader. Returns its wake function if it's waiting, since the caller may hold a lock.
    @discardableResult
    private func leave(_ id: Int) -> (@Sendable () -> Void)? {
        let (left, isUnsupported, hasHadReaders) = state.withLock { state in
            (state.blob.leave(id), state.blob.readers.isEmpty, state.blob.hasHadReaders)
        }
        guard let left else { return nil }
        if !isUnsupported {
            transfer.ticket.classChanged()
            readersChanged.send()
        } else if hasHadReaders {
            end()
        } else {
            Task { [weak self, time = transfer.engine.time] in
                guard (try? await time.sleep(for: Self.patience)) != nil, let self,
                    state.withLock({ $0.blob.readers.isEmpty })
                else { return }
                end()
            }
        }
        return left.wake
    }

    /// Ends the fill, because it has no readers or the store is closed or suspended.
    func end() {
        let (task, wakes) = state.withLock { state in
            state.isEnded = true
            return (state.task, state.blob.takeWakes())
        }
        task?.cancel()
        for wake in wakes { wake() }
        onEnd(self)
    }

    private var transferClass: TransferClass? { state.withLock { $0.blob.transferClass } }

    /// Returns the bytes in memory before `position`, at most `maximum`.
    func bytes(before position: Int64, atMost maximum: Int64) -> [UInt8] {
        state.withLock { state in
            let count = min(maximum, state.blob.count(before: position))
            var bytes = [UInt8](repeating: 0, count: Int(count))
            let isCopied = bytes.withUnsafeMutableBytes { state.blob.copy(to: $0, at: position - count) }
            return isCopied ? bytes : []
        }
    }

    // MARK: - Filling

    private func run() async {
        transfer.engine.counters.add(\.runningFills)
        await transfer.reader.resume { [weak self] position in
            self?.state.withLock { $0.blob.count(before: position) } ?? 0
        }
        var failure: CacheError?
        var check = check
        do {
            let learnedLength = try await transfer.receive { piece in
                // Earlier bytes must not be appended again.
                guard !piece.isOverlap else {
                    try compare(piece)
                    return true
                }
                guard piece.withUnsafeBytes({ check?.permits($0, at: piece.offset) }) ?? true else {
                    throw CacheError(
                        .representationChanged,
                        "the resource has changed at the origin: it's a playlist or manifest now")
                }
                try await append(piece)
                return true
            }
            // A response may contain only the overlap, if the version of unknown length ends there.
            let completeLength = await transfer.reader.responseHead?.completeLength
            let length = learnedLength ?? completeLength
            if let length { onLength(length) }
            let (received, limit) = state.withLock { ($0.blob.end, min($0.blob.limit, length ?? .max)) }
            // Without this error, readers would repeat the request endlessly.
            if limit < .max, received < limit {
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
            return state.blob.takeWakes()
        }
        for wake in wakes { wake() }
    }

    /// Throws ``CacheError/Code/representationChanged`` if an overlap differs from the bytes in memory.
    private func compare(_ piece: OriginPiece) throws {
        let isSame = piece.withUnsafeBytes { bytes in
            state.withLock { $0.blob.matches(bytes, at: piece.offset) }
        }
        guard !isSame else { return }
        throw CacheError(
            .representationChanged,
            "the resource has changed at the origin: the bytes at \(piece.offset) differ from those received before")
    }

    /// Appends a piece. While the blob has no space, waits, and closes the connection after the idle limit.
    private func append(_ piece: OriginPiece) async throws {
        var written = 0
        while written < piece.part.count {
            if !append(piece, &written) {
                let idle = Task { await closeAfterIdleLimit() }
                let before = written
                await readersChanged.wait { !Task.isCancelled && written == before && !append(piece, &written) }
                idle.cancel()
                // The task may be closing the connection, which would interrupt the next reception.
                await idle.value
            }
            try Task.checkCancellation()
        }
    }

    private func closeAfterIdleLimit() async {
        let (limit, time) = (transfer.engine.transfers.idleLimit, transfer.engine.time)
        guard (try? await time.sleep(for: MemoryBlob.grace)) != nil else { return }
        // Slow readers can be removed now.
        readersChanged.send()
        guard (try? await time.sleep(for: limit)) != nil, !Task.isCancelled else { return }
        await transfer.reader.close()
        transfer.ticket.endAdmission()
    }

    /// Appends the bytes of a piece from `written` on for which the blob has space. Returns whether there are any.
    private func append(_ piece: OriginPiece, _ written: inout Int) -> Bool {
        let now = transfer.engine.time.monotonic
        let offset = written
        let (count, wakes) = state.withLock { state -> (Int, [@Sendable () -> Void]) in
            let space = state.blob.makeSpace(now: now)
            let count = min(space.count, piece.part.count - offset)
            guard count > 0 else { return (0, space.fallen.compactMap(\.wake)) }
            let woken = piece.withUnsafeBytes { bytes in
                state.blob.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            }
            return (count, woken + space.fallen.compactMap(\.wake))
        }
        written += count
        for wake in wakes { wake() }
        return count > 0
    }
}
