import Logging
import Synchronization

extension Representation {
    /// Compares what is here of `range` with its checksums, off the caller's thread, and wakes who waits.
    func verify(_ range: Range<Int64>) {
        guard file.withLock({ $0.verifying.insert(range).inserted }) else { return }
        engine.pool.start { [self] in _ = compare(range) }
    }

    /// Compares what is here of `range` with its checksums. What doesn't match, or can't be read, becomes a hole.
    /// Blocks.
    ///
    /// - Returns: the bytes that were lost.
    @discardableResult
    package func compare(_ range: Range<Int64>) -> [Range<Int64>] {
        let records = state.withLock { $0.recordsToVerify(in: range) }
        let good = records.filter { matches($0) || matches($0) }.map(\.range)
        // Before those who wait are woken: who comes now has to start another comparison.
        file.withLock { _ = $0.verifying.remove(range) }
        let (damaged, woken) = state.withLock { $0.didVerify(range, good: good) }
        for span in damaged {
            engine.counters.add(\.bytesDamaged, Int64(span.count))
            engine.logger.error("damaged bytes", metadata: ["url": "\(resource.locator.url)", "range": "\(span)"])
            engine.events.send(.damaged(key: resource.key, range: span))
        }
        if !damaged.isEmpty { engine.committer.markDirty(self, bytes: 0) }
        for wake in woken { wake() }
        return damaged
    }

    /// Forgets which bytes were compared since opening, so that all of them are again.
    package func compareAll() -> [Range<Int64>] {
        state.withLock { $0.distrust() }
        return spans.spans.flatMap { compare($0) }
    }

    private func matches(_ record: BlockChecksums.Record) -> Bool {
        guard let file = try? source() else { return false }
        return withUnsafeTemporaryAllocation(byteCount: record.range.count, alignment: 16) { buffer in
            guard (try? file.read(into: buffer, at: record.range.lowerBound)) != nil else { return false }
            return CRC32C.extend(with: UnsafeRawBufferPointer(buffer)) == record.crc
        }
    }

    /// A reader couldn't read bytes that should be here, twice: they are a hole from now on.
    func readFailed(_ range: Range<Int64>, error: any Error) {
        engine.logger.error("blob can't be read", metadata: ["path": "\(path)", "error": "\(error)"])
        state.withLock { $0.lose(range) }
        engine.counters.add(\.bytesDamaged, Int64(range.count))
        engine.events.send(.damaged(key: resource.key, range: range))
        engine.committer.markDirty(self, bytes: 0)
    }
}
