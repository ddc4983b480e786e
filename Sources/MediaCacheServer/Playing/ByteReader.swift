import MediaCache
import MediaLibrary

/// What the response pump needs of a read session.
protocol ByteReader: AnyObject, Sendable {
    /// What was known of the representation at opening.
    var head: ResourceHead { get }
    /// The bytes to read; the upper bound is `Int64.max` while the length isn't known.
    var range: Range<Int64> { get }
    /// Whether parts of it may be asked for. What is another with each request is given whole, whatever was asked
    /// (RFC 9110 §14.2): some clients put parts of two versions together.
    var acceptsRanges: Bool { get }
    /// When the window of a recording begins that this is, in nanoseconds since 1970; nil for anything else.
    var windowStart: Int64? { get }
    /// The gaps in a movie that is made of a stream; empty for anything else.
    var gaps: [MovieGap] { get }
    /// What there is to read now. `onReady` is kept, and called once, only if the answer is `.wait`.
    func poll(maximum: Int, onReady: @escaping @Sendable () -> Void) -> ReadStep
    /// `count` bytes of what `poll` gave have been taken.
    func consume(_ count: Int)
    /// What `poll` gave couldn't be read: it may be tried again, and in the end is fetched anew.
    func readFailed(count: Int, error: any Error)
    /// Ends reading.
    func cancel()
}

extension ByteReader {
    var acceptsRanges: Bool { true }
    var windowStart: Int64? { nil }
    var gaps: [MovieGap] { [] }
}

extension ReadSession: ByteReader {}

/// What opens readers for play URLs.
protocol ByteReaderSource: Sendable {
    /// A reader at once, if the resource is open and the origin needn't be asked first.
    func readerIfOpen(_ request: ReadRequest, for target: PlayTarget) throws -> (any ByteReader)?
    /// A reader, when the head is known.
    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader
}
