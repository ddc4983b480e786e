import MediaCache

/// Opens readers of what a play URL names.
struct PlayOpener: ReaderOpener {
    let target: PlayTarget
    let source: any ByteReaderSource
    let settings: TransferSettings?

    var name: String { "\(target.url)" }

    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? {
        try source.readerIfOpen(request(range), for: target)
    }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        try await source.reader(request(range), for: target)
    }

    private func request(_ range: RequestedRange) -> ReadRequest {
        ReadRequest(url: target.url, range: range, settings: settings)
    }
}
