import HTTPTypes
import Synchronization

extension OriginResponse {
    /// How long the bytes that tell media from a page may take after the first ones.
    private static var patience: Duration { .seconds(2) }

    /// This response, unless it's a page, or nothing, where a known version of some media was asked for: a login, a
    /// captive portal, an error report. Media that is merely labelled as a page passes, since its first bytes tell.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/notMedia``; the version that is kept stays as it is.
    func refusingPage(
        from url: ResourceURL, as kind: ResourceKind = .file, context: OriginContext
    ) async throws -> OriginResponse {
        if status == 200, headerFields[.contentLength] == "0",
            MediaType.expectsAudioOrVideo(declared: headerFields[.contentType], where: url.pathExtension)
        {
            body.cancel()
            throw CacheError(.notMedia, "\(url) came empty, where there should be media")
        }
        let type = MediaType.essence(headerFields[.contentType])
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
        // The middle of media tells nothing; the front of a page does.
        let isMedia = sniffed.map { !MediaType.isDocument($0) } ?? front.withUnsafeBytes(MediaType.isBinary)
        guard !end.hasFired, isMedia || (sniffed == nil && status == 206) else {
            body.cancel()
            throw CacheError(
                .notMedia,
                "\(url) came as a page (\(type)), not as media; it may want a login, or the link is over")
        }
        var response = self
        response.body = PeekedBody(front: front, rest: body)
        return response
    }
}

/// A body whose first bytes have been looked at.
private final class PeekedBody: OriginBody {
    private let front: Mutex<[UInt8]?>
    private let rest: any OriginBody

    init(front: [UInt8], rest: any OriginBody) {
        self.front = Mutex(front)
        self.rest = rest
    }

    func next() async throws -> (any OriginBuffer)? {
        let front = front.withLock { front in
            defer { front = nil }
            return front
        }
        if let front { return front }
        return try await rest.next()
    }

    func cancel() { rest.cancel() }
}
