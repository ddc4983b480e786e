import MediaCache
import MediaLibrary

/// A reader of one range of a resource, for a response pump.
protocol ByteReader: AnyObject, Sendable {
    /// The head of the representation at the time the reader was opened.
    var head: ResourceHead { get }
    /// The range to read. Its upper bound is `Int64.max` if the length is unknown.
    var range: Range<Int64> { get }
    /// Whether range requests are supported. A resource that changes with every request is always sent whole (RFC 9110
    /// §14.2), since some clients would combine parts of two versions.
    var acceptsRanges: Bool { get }
    /// The start of a recording's window, in nanoseconds since 1970; nil for any other resource.
    var windowStart: Int64? { get }
    /// The gaps in a movie that is remuxed from a stream; empty for any other resource.
    var gaps: [MovieGap] { get }
    /// Returns the next step. If it is `.wait`, `onReady` is stored and called once.
    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep
    func consume(_ count: Int)
    /// Reports that bytes of the last step couldn't be read. The reader returns them again, refetches them or fails.
    func readFailed(count: Int, error: any Error)
    func cancel()
}

extension ByteReader {
    var acceptsRanges: Bool { true }
    var windowStart: Int64? { nil }
    var gaps: [MovieGap] { [] }
}

extension ReadSession: ByteReader {}

extension RequestedRange {
    /// Returns the byte range within a resource of `length` bytes.
    ///
    /// - Parameter name: The name of the resource in messages.
    /// - Throws: `CacheError` with `rangeNotSatisfiable`.
    func resolved(in length: Int64, of name: String) throws(CacheError) -> Range<Int64> {
        if let range = resolved(in: length) { return range }
        throw CacheError(
            .rangeNotSatisfiable, "the range is outside \(name), which has \(length) bytes", completeLength: length)
    }
}

/// A source of readers for play URLs.
protocol ByteReaderSource: Sendable {
    /// Returns a reader if the resource is open and no origin request has to precede it; otherwise nil.
    func readerIfOpen(_ request: ReadRequest, for target: PlayTarget) throws -> (any ByteReader)?
    /// Returns a reader as soon as the head is known.
    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader
}
