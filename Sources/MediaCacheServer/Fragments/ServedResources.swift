import MediaCache
import MediaContainers
import MediaLibrary

/// The resources of a stream as the server serves them, for use on a thread that may block: each is opened like the
/// request of a player, with the same access rules.
///
/// Their URLs consist of ``base`` and a request target.
struct ServedResources: StreamResources {
    /// The base of URLs. Its host never exists (RFC 6761 §6.4).
    static let base = "http://server.invalid"
    /// The maximum length of a segment in bytes, which is read into memory.
    private static let maximumLength = 32 << 20
    private static let pieceLength = 1 << 20

    let control: OperationControl
    /// Returns the opener of a request target.
    let open: @Sendable (_ target: String) throws -> any ReaderOpener

    func contents(of url: String, limit: Int) throws(ContainerError) -> (bytes: [UInt8], location: String) {
        (try read(url, .all, limit: limit), url)
    }

    func bytes(of url: String, range: Range<Int64>?) throws(ContainerError) -> MemorySource {
        guard let range else { return MemorySource(try read(url, .all, limit: Self.maximumLength)) }
        guard !range.isEmpty else { return MemorySource([]) }
        let part = RequestedRange.closed(range.lowerBound, through: range.upperBound - 1)
        let bytes = try read(url, part, limit: Self.maximumLength)
        guard bytes.count == range.count else {
            throw ContainerError(.truncated, "the resource ends inside the segment's byte range", at: range.lowerBound)
        }
        return MemorySource(bytes)
    }

    private func read(_ url: String, _ range: RequestedRange, limit: Int) throws(ContainerError) -> [UInt8] {
        do {
            guard url.hasPrefix(Self.base + "/") else {
                throw CacheError(.notMedia, "the playlist refers to a URL that isn't served")
            }
            let opener = try open(String(url.dropFirst(Self.base.count)))
            return try control.wait { try await Self.bytes(opener, range, limit: limit) }
        } catch {
            throw ContainerError(.inputOutput, "a resource can't be read", cause: error)
        }
    }

    private static func bytes(
        _ opener: any ReaderOpener, _ range: RequestedRange, limit: Int
    ) async throws -> [UInt8] {
        let reader: any ByteReader
        if let open = try opener.readerIfOpen(range) { reader = open } else { reader = try await opener.reader(range) }
        return try await withTaskCancellationHandler {
            defer { reader.cancel() }
            return try await bytes(of: reader, limit: limit, opener.name)
        } onCancel: {
            reader.cancel()
        }
    }

    private static func bytes(of reader: any ByteReader, limit: Int, _ name: String) async throws -> [UInt8] {
        let tooLong = CacheError(.notMedia, "\(name) is longer than \(limit >> 10) KiB")
        var bytes: [UInt8] = []
        if let length = reader.head.length {
            let count = min(length, reader.range.upperBound) - reader.range.lowerBound
            guard count <= Int64(limit) else { throw tooLong }
            bytes.reserveCapacity(Int(max(0, count)))
        }
        let (ready, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        var signals = ready.makeAsyncIterator()
        while true {
            switch reader.poll(maximum: pieceLength, onReady: { continuation.yield() }) {
            case .bytes(let source, let offset, let count):
                guard bytes.count + count <= limit else { throw tooLong }
                do {
                    bytes += try await piece(of: source, at: offset, count: count)
                    reader.consume(count)
                } catch {
                    // The next step contains the same bytes, or the failure.
                    reader.readFailed(count: count, error: error)
                }
            case .wait:
                if await signals.next() == nil { throw CancellationError() }
            case .end: return bytes
            case .failed(let error): throw error
            }
        }
    }

    private static func piece(of source: any BlobReader, at offset: Int64, count: Int) async throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        if try bytes.withUnsafeMutableBytes({ try source.readWithoutBlocking(into: $0, at: offset) }) { return bytes }
        return try await BlockingOperation.run { () throws -> [UInt8] in
            var bytes = [UInt8](repeating: 0, count: count)
            try bytes.withUnsafeMutableBytes { try source.read(into: $0, at: offset) }
            return bytes
        }
    }
}
