/// The reception of a range from its origin: a reader, and the scheduler ticket of its requests.
///
/// Bodies are received by ``receive(isComparison:ifNeeded:holdsBack:_:)``, except for first bytes that determine the
/// media type.
struct Transfer: Sendable {
    let engine: Engine
    let reader: OriginReader
    let ticket: TransferScheduler.Ticket

    /// Waits until a transfer may send its first request. Throws `CancellationError` if the task is cancelled.
    static func admit(_ ticket: TransferScheduler.Ticket, _ engine: Engine) async throws {
        try await ticket.admission()
        try await engine.traffic.turn(of: ticket)
    }

    /// Receives bytes until the end of the range, or until `store` returns false. The transfer pauses for playback,
    /// closes its connection if it loses its admission, and stays within the bandwidth limits.
    ///
    /// - Parameters:
    ///   - isComparison: Whether all bytes are only compared with cached ones, and so don't count as received.
    ///   - ifNeeded: Returns whether the transfer is needed. See ``Traffic/next(of:by:ifNeeded:holdsBack:)``.
    ///   - holdsBack: Returns whether the transfer pauses for playback if its class requires it.
    ///   - store: Stores or compares a piece. Returns whether to receive more. If it throws an error, the piece isn't
    ///     charged to the bandwidth limits; if it has put back the piece, the transfer that continues is charged.
    /// - Returns: The complete length, if only the end of the body determined it.
    /// - Throws: The errors of `store`, of ``Traffic/next(of:by:ifNeeded:holdsBack:)`` and of ``Traffic/pay(_:by:)``.
    @discardableResult
    func receive(
        isComparison: Bool = false, ifNeeded: @escaping @Sendable () -> Bool = { true },
        holdsBack: () -> Bool = { true }, _ store: (OriginPiece) async throws -> Bool
    ) async throws -> Int64? {
        let entry = engine.traffic.enter(of: ticket, reader, ifNeeded: ifNeeded)
        defer { engine.traffic.leave(entry) }
        // Bytes are checked and written where they are received, while they are in the processor's cache.
        return try await withTaskExecutorPreference(await reader.executor ?? engine.pool) {
            while let piece = try await engine.traffic.next(
                of: reader, by: ticket, ifNeeded: ifNeeded, holdsBack: holdsBack)
            {
                if !piece.isOverlap, !piece.wasPutBack, !isComparison {
                    engine.counters.add(\.bytesFromOrigin, Int64(piece.part.count))
                }
                let continues = try await store(piece)
                if !piece.isOverlap { try await engine.traffic.pay(piece.part.count, by: ticket) }
                guard continues else { break }
            }
            return await reader.learnedLength
        }
    }

    /// Closes the connection and releases the ticket.
    func end() async {
        await reader.close()
        ticket.release()
    }
}
