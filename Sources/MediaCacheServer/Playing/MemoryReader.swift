import Foundation
import MediaCache
import Synchronization

/// A reader over bytes in memory: a playlist as it is sent, a picture.
final class MemoryReader: ByteReader {
    let head: ResourceHead
    let range: Range<Int64>
    let acceptsRanges: Bool
    let windowStart: Int64?
    private let source: HeldBytes
    private let position: Mutex<Int64>

    init(_ bytes: [UInt8], head: ResourceHead, range: Range<Int64>, acceptsRanges: Bool, windowStart: Int64? = nil) {
        self.head = head
        self.windowStart = windowStart
        self.range = range
        self.acceptsRanges = acceptsRanges
        source = HeldBytes(bytes: bytes)
        position = Mutex(range.lowerBound)
    }

    /// A reader of what is sent in place of an origin's bytes, or has none: with a length and a tag of its own.
    ///
    /// - Parameters:
    ///   - original: what the bytes were made from, where they were.
    ///   - name: what messages call it.
    ///   - windowStart: when the window of a recording begins that it is; see ``ByteReader/windowStart``.
    /// - Throws: `CacheError` with `rangeNotSatisfiable`.
    convenience init(
        _ bytes: [UInt8], contentType: String, original: ResourceHead? = nil, range: RequestedRange, name: String,
        acceptsRanges: Bool = true, windowStart: Int64? = nil
    ) throws {
        let length = Int64(bytes.count)
        guard let range = (acceptsRanges ? range : .all).resolved(in: length) else {
            throw CacheError(
                .rangeNotSatisfiable, "\(name) has \(length) bytes as it is sent; the range lies outside",
                completeLength: length)
        }
        let head = ResourceHead(
            length: length, contentType: contentType, validator: Validator(),
            validatedAt: original?.validatedAt ?? Date(), isStale: original?.isStale ?? false,
            entityTag: EntityTag(of: bytes).text)
        self.init(bytes, head: head, range: range, acceptsRanges: acceptsRanges, windowStart: windowStart)
    }

    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep {
        let offset = position.withLock { $0 }
        let count = min(Int64(maximum), range.upperBound - offset)
        return count > 0 ? .bytes(source, offset: offset, count: Int(count)) : .end
    }

    func consume(_ count: Int) { position.withLock { $0 += Int64(count) } }

    func readFailed(count: Int, error: any Error) {}

    func cancel() {}
}
