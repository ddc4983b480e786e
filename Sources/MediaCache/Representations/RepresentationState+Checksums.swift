extension RepresentationState {
    /// Returns the checksum records to verify before bytes of `range` may be served.
    mutating func recordsToVerify(in range: Range<Int64>) -> [BlockChecksums.Record] {
        checksums.records(in: range).filter { !verified.contains($0.range) }
    }

    /// Turns bytes without a record, or with a wrong checksum, into holes. Returns these, and the wake functions of
    /// readers.
    mutating func didVerify(
        _ range: Range<Int64>, good: [Range<Int64>]
    ) -> (damaged: [Range<Int64>], woken: [@Sendable () -> Void]) {
        for span in good where written.contains(span) { verified.insert(span) }
        let damaged = written.spans(in: range).flatMap { verified.holes(in: $0) }
        for span in damaged { lose(span) }
        return (damaged, takeWaiters { _ in true })
    }

    /// Turns bytes into a hole. Returns the removed spans, which can extend beyond `range`, because all bytes of a
    /// removed checksum are removed.
    @discardableResult
    package mutating func forget(_ range: Range<Int64>) -> [Range<Int64>] {
        var forgotten: [Range<Int64>] = []
        losses += 1
        for span in checksums.remove(range) + [range] {
            forgotten += written.spans(in: span)
            written.remove(span)
            verified.remove(span)
            arrived.remove(span)
        }
        needsCommit = true
        return forgotten
    }

    /// Turns damaged or unreadable bytes into a hole that is reported until the bytes are fetched again.
    mutating func lose(_ range: Range<Int64>) {
        for span in forget(range) { lost.insert(span) }
    }

    // MARK: - Commit

    package mutating func takeDirtyPages() -> [Int64: [UInt8]] {
        needsCommit = false
        return checksums.takeDirtyPages()
    }

    package mutating func commitFailed(pages: some Sequence<Int64>) {
        needsCommit = true
        checksums.markDirty(pages: pages)
    }
}
