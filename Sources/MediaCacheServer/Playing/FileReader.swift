import MediaCache
import Synchronization

/// A reader of a side file.
final class FileReader: ByteReader {
    let head: ResourceHead
    let range: Range<Int64>
    private let file: SideFile
    private let state: Mutex<(position: Int64, failure: CacheError?)>
    private let name: String

    /// - Parameter name: The file's name in messages.
    /// - Throws: `CacheError` with `rangeNotSatisfiable`.
    init(_ file: SideFile, head: ResourceHead, range: RequestedRange, name: String) throws {
        let range = try range.resolved(in: file.length, of: name)
        self.file = file
        self.head = head
        self.range = range
        self.name = name
        state = Mutex((range.lowerBound, nil))
    }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        let (offset, failure) = state.withLock { $0 }
        if let failure { return .failed(failure) }
        let count = min(Int64(maximum), range.upperBound - offset)
        return count > 0 ? .bytes(file.bytes, offset: offset, count: Int(count)) : .end
    }

    func consume(_ count: Int) { state.withLock { $0.position += Int64(count) } }

    /// Makes the reader fail, since a side file can't be refetched.
    func readFailed(count: Int, error: any Error) {
        state.withLock { $0.failure = CacheError.wrap(error, as: .storage, "\(name) can't be read") }
    }

    func cancel() {}
}
