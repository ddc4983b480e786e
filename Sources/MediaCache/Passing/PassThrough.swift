/// A reader of a fill whose bytes aren't stored.
final class PassThrough: Sendable {
    private let fill: PassingFill
    private let id: Int
    /// The exclusive end of the reader's range.
    private let end: Int64

    init(fill: PassingFill, id: Int, end: Int64) {
        self.fill = fill
        self.id = id
        self.end = end
    }

    deinit { fill.leave(id) }

    /// Returns the next step. For a reader that was removed because it was too slow, the step is an early `end`; the
    /// reader then continues with another fill.
    ///
    /// - Parameter onReady: If the result is `wait`, called once when another poll can succeed.
    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        switch fill.poll(id, until: end, onReady: onReady) {
        case .bytes(let range): .bytes(self, offset: range.lowerBound, count: min(maximum, range.count))
        case .wait: .wait
        case .end: .end
        case .failed(let error): .failed(error)
        }
    }

    /// Advances the reader by a number of bytes.
    func consume(_ count: Int) { fill.consume(count, by: id) }

    /// Removes the reader from the fill. Further calls have no effect.
    func cancel() { fill.leave(id)?() }
}

extension PassThrough: BlobReader {
    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        guard fill.copy(to: buffer, at: offset) else {
            throw CacheError(.storage, "the bytes at \(offset) are no longer in memory")
        }
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        _ = try readWithoutBlocking(into: buffer, at: offset)
    }
}
