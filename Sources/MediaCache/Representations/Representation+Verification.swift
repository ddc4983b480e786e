import Logging

extension Representation {
    /// Verifies the cached bytes of `range` on a pool thread, and wakes the waiting readers.
    func verify(_ range: Range<Int64>) {
        guard file.withLock({ $0.verifying.insert(range).inserted }) else { return }
        engine.pool.start { [self] in _ = compare(range) }
    }

    /// Compares the unverified cached bytes of `range` with their checksums. Damaged and unreadable bytes become holes,
    /// which are returned. Blocks.
    @discardableResult
    package func compare(_ range: Range<Int64>) -> [Range<Int64>] {
        let records = state.withLock { $0.recordsToVerify(in: range) }
        let good = records.filter { matches($0) || matches($0) }.map(\.range)
        // Reset before readers are woken, so that they can start another comparison.
        file.withLock { _ = $0.verifying.remove(range) }
        let (damaged, woken) = withState { $0.didVerify(range, good: good) }
        for span in damaged {
            engine.counters.add(\.bytesDamaged, Int64(span.count))
            engine.logger.error("damaged bytes", metadata: ["url": "\(resource.locator.url)", "range": "\(span)"])
            engine.events.send(.damaged(key: resource.key, range: span))
        }
        for wake in woken { wake() }
        return damaged
    }

    /// Verifies all cached bytes again, including those verified since the store was opened. Blocks.
    package func compareAll() -> [Range<Int64>] {
        state.withLock { $0.verified = SpanMap() }
        return spans.spans.flatMap { compare($0) }
    }

    private func matches(_ record: BlockChecksums.Record) -> Bool {
        guard let file = try? source() else { return false }
        return withUnsafeTemporaryAllocation(byteCount: record.range.count, alignment: 16) { buffer in
            guard (try? file.read(into: buffer, at: record.range.lowerBound)) != nil else { return false }
            return CRC32C.extend(with: UnsafeRawBufferPointer(buffer)) == record.crc
        }
    }

    /// Turns bytes that can't be read into a hole.
    func readFailed(_ range: Range<Int64>, error: any Error) {
        engine.logger.error("blob can't be read", metadata: ["path": "\(path)", "error": "\(error)"])
        withState { $0.lose(range) }
        engine.counters.add(\.bytesDamaged, Int64(range.count))
        engine.events.send(.damaged(key: resource.key, range: range))
    }
}

extension Representation {
    /// Returns the number of contiguous cached bytes before `offset`.
    func comparableBytes(before offset: Int64) -> Int64 {
        withState { state in
            guard offset > 0, let span = state.written.span(at: offset - 1) else { return 0 }
            return offset - span.lowerBound
        }
    }

    /// Returns whether the bytes of a piece equal the cached bytes in `parts`. Damaged bytes become holes, and don't
    /// count.
    func agrees(with piece: OriginPiece, in parts: [Range<Int64>]) async throws -> Bool {
        try await engine.pool.run { [self] in
            let file = try source()
            return try parts.allSatisfy { part in
                let isSame = try withUnsafeTemporaryAllocation(byteCount: part.count, alignment: 16) { buffer in
                    try file.read(into: buffer, at: part.lowerBound)
                    return piece.withUnsafeBytes { bytes in
                        let start = Int(part.lowerBound - piece.offset)
                        return bytes[start..<start + part.count].elementsEqual(buffer)
                    }
                }
                return isSame || !compare(part).isEmpty
            }
        }
    }

    /// Returns whether the origin still has this version, if validators can't decide that. Requests up to 64 KiB of the
    /// cached bytes again and compares them. Returns true if no bytes are cached, and false if a whole-body transform
    /// was applied.
    ///
    /// - Parameter ticket: An admitted ticket for the request; nil to wait for admission as playback.
    func isSameAtOrigin(_ settings: TransferSettings?, ticket: TransferScheduler.Ticket? = nil) async throws -> Bool {
        let head = head
        guard let span = spans.spans.first else { return true }
        // Parts of the origin's content can't be compared with the result of a whole-body transform.
        guard content.transform?.isWhole != true else { return false }
        let reader = OriginReader(
            context: engine.originContext(settings), locator: resource.locator,
            requested: .from(span.lowerBound, to: min(span.upperBound, span.lowerBound + OriginReader.overlap)),
            known: KnownRepresentation(
                validator: Validator(lastModified: head.validator.lastModified), length: head.length),
            pipeline: engine.pipeline(for: self, observes: false))
        let own = ticket == nil ? engine.scheduler.ticket(for: resource.locator.url, transferClass: .playback) : nil
        defer { own?.release() }
        if let own { try await Transfer.admit(own, engine) }
        guard let ticket = ticket ?? own else { return false }
        var isSame = true
        defer { Task { await reader.close() } }
        try await Transfer(engine: engine, reader: reader, ticket: ticket).receive(isComparison: true) { piece in
            let here = withState { $0.written.spans(in: piece.range) }
            isSame = try await agrees(with: piece, in: here)
            return isSame
        }
        return isSame
    }
}
