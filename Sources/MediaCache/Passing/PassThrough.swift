/// One reader's place in a fill whose bytes aren't kept.
final class PassThrough: Sendable {
    private let fill: PassingFill
    private let id: Int
    /// Where it ends for this reader.
    private let end: Int64

    init(fill: PassingFill, id: Int, end: Int64) {
        self.fill = fill
        self.id = id
        self.end = end
    }

    deinit { fill.leave(id) }

    /// What there is to read. The end may be this place's alone, for a reader that was too slow for the others: it goes
    /// on at its byte with a fill of its own.
    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        switch fill.poll(id, until: end, onReady: onReady) {
        case .bytes(let range): .bytes(self, offset: range.lowerBound, count: min(maximum, range.count))
        case .wait: .wait
        case .end: .end
        case .failed(let error): .failed(error)
        }
    }

    func consume(_ count: Int) { fill.consume(count, by: id) }

    /// Gives the place up. May be called more than once.
    func cancel() { fill.leave(id)?() }
}

extension PassThrough: BlobReader {
    func readWithoutBlocking(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Bool {
        guard fill.copy(to: buffer, at: offset) else {
            throw CacheError(.storage, "the bytes at \(offset) have been passed on already")
        }
        return true
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws {
        _ = try readWithoutBlocking(into: buffer, at: offset)
    }
}
