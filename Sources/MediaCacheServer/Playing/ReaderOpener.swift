import MediaCache

/// Opens readers of what one request is for.
protocol ReaderOpener: Sendable {
    /// What messages call it.
    var name: String { get }
    /// A reader at once, if nothing has to be waited for.
    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)?
    /// A reader, when the head is known.
    func reader(_ range: RequestedRange) async throws -> any ByteReader
}

extension ReaderOpener {
    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? { nil }
}
