import HLS
import MediaCache
import MediaContainers
import MediaLibrary

/// A media segment without its origin's wrapping (`SegmentWrapping`).
struct UnwrappedPart: Sendable {
    let part: AssetPart
    let name: String
    let request: ReadRequest
    let store: CacheStore
    let inflations: SegmentInflations

    /// The number of leading bytes that are checked for a playlist. After an image, these bytes are sent as they were
    /// checked.
    private static let checkedLength = 1024

    /// Returns a reader of the requested range.
    ///
    /// - Throws: `CacheError`, with `notMedia` if the bytes are a playlist; ``ConcurrencyLimit/Exceeded`` if too many
    ///   segments are waiting to be inflated.
    func reader() async throws -> any ByteReader {
        let probe = try await front(SegmentWrapping.probeLength)
        guard SegmentWrapping.mayBegin(probe.bytes) else {
            // The declared type of encrypted media is arbitrary, so the bytes decide.
            guard MediaType.isPlaylist(probe.head.contentType) else { return try await session(checked: nil) }
            let front = try await self.front(Self.checkedLength)
            try refusePlaylist(front.bytes)
            return try await session(checked: front.version)
        }
        guard let length = try await length(of: probe.head) else { return try await session(checked: nil) }
        let (head, _, front) = try await self.front(SegmentWrapping.frontLength)
        switch SegmentWrapping.find(front: front, length: length, isEncrypted: part.isEncrypted) {
        case .none: return try await session(checked: nil)
        case .image(let imageLength):
            // The next request may return another version, so the leading bytes are sent as they were checked.
            let start = min(front.count, imageLength + Self.checkedLength)
            let layout = ByteLayout([.generated(Array(front[imageLength..<start])), .source(Int64(start)..<length)])
            return LayoutReader(
                layout, of: request, in: store, original: head,
                range: try request.range.resolved(in: layout.length, of: name),
                contentType: contentType(Array(front.dropFirst(imageLength))), mark: "media")
        case .gzip:
            guard let bytes = try await inflated(head, length) else { return try await session(checked: nil) }
            try refusePlaylist(bytes)
            return try MemoryReader(
                bytes, contentType: contentType(Array(bytes.prefix(4096))), original: head, range: request.range,
                name: name)
        }
    }

    /// Throws if a body begins like a playlist, whose references would lead players to other hosts.
    private func refusePlaylist(_ front: [UInt8]) throws(CacheError) {
        guard case .playlist = BodyKind(of: front) else { return }
        throw CacheError(.notMedia, "\(part.url) is a playlist instead of media")
    }

    /// Returns a session over the requested range.
    ///
    /// - Parameter version: The stored version whose leading bytes aren't a playlist despite its type.
    /// - Throws: `CacheError` with `notMedia` if the session's version is a playlist.
    private func session(checked version: Int64?) async throws -> ReadSession {
        let session = try await store.read(request)
        guard MediaType.isPlaylist(session.head.contentType), version == nil || session.version != version else {
            return session
        }
        session.cancel()
        throw CacheError(.notMedia, "\(part.url) is a playlist instead of media")
    }

    /// Returns the head, the stored version if there is one, and the leading bytes. If they are missing, the request's
    /// policy decides how much is fetched.
    private func front(_ count: Int) async throws -> (head: ResourceHead, version: Int64?, bytes: [UInt8]) {
        var front = request
        front.range = .closed(0, through: Int64(count) - 1)
        let session = try await store.read(front)
        defer { session.cancel() }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return (session.head, session.version, bytes)
    }

    /// Returns the length. If it is unknown until the end, completes the resource first; nil if that isn't permitted.
    private func length(of head: ResourceHead) async throws -> Int64? {
        if let length = head.length { return length }
        guard request.settings?.allowsOriginRequests == true else { return nil }
        return try await store.complete(request).length
    }

    private func inflated(_ head: ResourceHead, _ length: Int64) async throws -> [UInt8]? {
        guard length <= Int64(SegmentInflation.largest) else {
            throw CacheError(.badResponse, "\(part.url) is compressed and too large to be inflated")
        }
        do {
            return try await inflations.segment("\(part.url) \(head.entityTag)", isEncrypted: part.isEncrypted) {
                try await front(Int(length)).bytes
            }
        } catch let error as ContainerError {
            throw CacheError(.badResponse, "\(part.url): \(error)", cause: error)
        }
    }

    private func contentType(_ front: [UInt8]) -> String {
        let ending = part.name.split(separator: ".").last.map(String.init) ?? ""
        return MediaType.resolve(
            sniffed: front.withUnsafeBytes { MediaType.sniff($0) }, declared: nil, pathExtension: ending)
    }
}

/// A cache of inflated segments, for concurrent readers and for readers of several ranges.
final class SegmentInflations: Sendable {
    private let segments = SharedResults<[UInt8]?>(maximumCount: 16, maximumCost: 64 << 20) { Int64($0?.count ?? 0) }
    /// The limit of concurrent inflations, since each keeps a segment in memory twice.
    private let limit = ConcurrencyLimit(2, maximumWaiting: 64)

    /// Returns an inflated segment; nil if it isn't compressed.
    ///
    /// - Parameter contents: Reads the stored segment.
    /// - Throws: The errors of `contents`; `ContainerError`; ``ConcurrencyLimit/Exceeded``.
    func segment(
        _ name: String, isEncrypted: Bool, _ contents: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> [UInt8]? {
        try await segments.value(for: name) { [limit] in
            try await limit.run {
                let bytes = try await contents()
                return try await BlockingOperation.run {
                    try SegmentInflation.inflated(bytes, isEncrypted: isEncrypted)
                }
            }
        }
    }
}
