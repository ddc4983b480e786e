extension RepresentationState {
    /// The checksum records to compare before bytes of `range` may be served.
    mutating func recordsToVerify(in range: Range<Int64>) -> [BlockChecksums.Record] {
        checksums.records(in: range).filter { !verified.contains($0.range) }
    }

    /// Nothing counts as verified any more.
    mutating func distrust() { verified = SpanMap() }

    /// What the comparison found. Bytes without a record, or with one that doesn't match, become a hole.
    ///
    /// - Returns: what was lost, and whom to wake.
    mutating func didVerify(
        _ range: Range<Int64>, good: [Range<Int64>]
    ) -> (damaged: [Range<Int64>], woken: [@Sendable () -> Void]) {
        for span in good where written.contains(span) { verified.insert(span) }
        let damaged = written.spans(in: range).flatMap { span in
            var rest = SpanMap(CollectionOfOne(span))
            for good in verified.spans(in: span) { rest.remove(good) }
            return Array(rest.spans)
        }
        for span in damaged { lose(span) }
        return (damaged, takeWaiters { _ in true })
    }

    /// Bytes are given up: a hole from now on.
    ///
    /// - Returns: what was here of it; more than the range where a checksum is of more.
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

    /// Bytes are damaged, or can't be read: a hole from now on, which `verify` tells of until they come again.
    mutating func lose(_ range: Range<Int64>) {
        for span in forget(range) { lost.insert(span) }
    }

    // MARK: - Commit

    package mutating func takeDirtyPages() -> [Int64: [UInt8]] {
        needsCommit = false
        return checksums.takeDirtyPages()
    }

    package mutating func didCommit(bytes: Int64) { uncommittedBytes -= bytes }

    package mutating func commitFailed(pages: some Sequence<Int64>) {
        needsCommit = true
        checksums.markDirty(pages: pages)
    }

    package mutating func setNeedsCommit() { needsCommit = true }

    package mutating func allChecksumPages() -> [Int64: [UInt8]] { checksums.allPages() }
}
