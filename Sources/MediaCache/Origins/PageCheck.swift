import HTTPTypes
import Synchronization

extension OriginResponse {
    /// The time limit, counted from the first bytes, for receiving enough bytes to distinguish media from a page.
    private static var patience: Duration { .seconds(2) }

    /// Returns this response, or throws ``CacheError/Code/notMedia`` for a page (such as a login, a captive portal or
    /// an error report) or an empty body in place of media. Media with a wrong `Content-Type` is accepted because of
    /// its first bytes, which are read here if a page is declared, and returned with the rest.
    func refusingPage(
        from url: ResourceURL, as kind: ResourceKind = .file, context: OriginContext
    ) async throws -> OriginResponse {
        let declared = headerFields[.contentType]
        if status == 200, headerFields[.contentLength] == "0",
            MediaType.isAudioOrVideo(
                MediaType.resolve(sniffed: nil, declared: declared, pathExtension: url.pathExtension))
        {
            body.cancel()
            throw CacheError(.notMedia, "\(url) is empty, but should be media")
        }
        let type = MediaType.essence(declared)
        guard status == 200 || status == 206, let type, MediaType.isDocument(type, where: url.pathExtension),
            !MediaType.isKey(kind, length: headerFields[.contentLength].flatMap { Int64($0) })
        else { return self }
        let stall = context.settings.limits.stall
        let watch = StallWatch(body: body, limit: stall, time: context.time)
        let end = StallWatch(body: body, limit: min(stall, Self.patience), time: context.time)
        defer {
            watch.stop()
            end.stop()
        }
        watch.start()
        watch.isAwaited(true)
        var front: [UInt8] = []
        var sniffed: String?
        do {
            while sniffed == nil, front.count < MediaType.sniffLength, let buffer = try await body.next() {
                if front.isEmpty {
                    watch.stop()
                    end.start()
                    end.isAwaited(true)
                }
                buffer.withUnsafeBytes { front += $0 }
                sniffed = front.withUnsafeBytes(MediaType.sniff)
            }
        } catch {
            if watch.hasFired { throw CacheError(.timedOut, "\(url) sent nothing for \(stall.seconds) s") }
            guard end.hasFired else { throw error }
        }
        // Unlike the start of a page, bytes from the middle of media can be inconclusive.
        let isMedia = sniffed.map { !MediaType.isDocument($0) } ?? front.withUnsafeBytes(MediaType.isBinary)
        guard !end.hasFired, isMedia || (sniffed == nil && status == 206) else {
            body.cancel()
            throw CacheError(document: "\(url)", type: type)
        }
        var response = self
        response.body = PeekedBody(front: front, rest: body)
        return response
    }
}

/// A body whose first bytes have been read.
private final class PeekedBody: OriginBody {
    private let front: Mutex<[UInt8]?>
    private let rest: any OriginBody

    init(front: [UInt8], rest: any OriginBody) {
        self.front = Mutex(front)
        self.rest = rest
    }

    func next() async throws -> (any OriginBuffer)? {
        if let front = front.withLock({ exchange(&$0, with: nil) }) { return front }
        return try await rest.next()
    }

    func cancel() { rest.cancel() }
}
