internal import Foundation
internal import HLS
internal import MediaCache

/// A fetcher of parts of assets and recordings, which also checks that they're media.
struct PartFetch: Sendable {
    let store: CacheStore

    private static let frontLength: Int64 = 1024
    /// The maximum size of a body with a content coding, in bytes, before and after decoding.
    private static let maximumCodedLength: Int64 = 64 << 20

    /// Fetches the missing bytes of a part. Throws `CacheError` with `forbiddenAddress` if the access rule forbids
    /// that.
    func fill(_ part: AssetPart, _ request: ReadRequest) async throws -> ResourceInfo {
        do {
            return try await store.withAccessCheck(request) { try await store.fill($0) }
        } catch let error as CacheError where error.contentCoding != nil && part.range == nil {
            return try await fillDecoded(request)
        }
    }

    /// Fetches and decodes a whole part, from an origin that always compresses responses and therefore can't serve
    /// ranges. Pins the decoded resource.
    private func fillDecoded(_ request: ReadRequest) async throws -> ResourceInfo {
        let url = request.url
        var whole = WholeBodyRequest(
            url: url, maximumLength: Self.maximumCodedLength, transferClass: request.transferClass,
            settings: request.settings, revalidation: .never, kind: request.kind, group: request.group
        ) { body in
            body.bytes = try Inflater.decode(
                body.bytes, coding: body.contentCoding, name: "\(url)", limit: Int(Self.maximumCodedLength))
            body.contentCoding = nil
            return true
        }
        whole.name = request.name
        _ = try await store.wholeBody(whole)
        guard let info = try await store.resource(of: request), info.isComplete else {
            throw CacheError(.storage, "\(url) can't be cached")
        }
        try await store.setPinned(true, id: info.id)
        return info
    }

    enum Finding {
        case valid
        case validWithNote(AssetContents.Note)
        /// The part was fetched as a file, but is a playlist.
        case playlist
    }

    /// Checks that a received part is of the expected kind. Removes its resource if it isn't, unless other parts may be
    /// ranges of the same resource. Throws `CacheError` with `notMedia`, or with `badResponse` if the part's byte range
    /// exceeds the resource.
    func check(_ part: AssetPart, _ request: ReadRequest, _ info: ResourceInfo) async throws -> Finding {
        if let range = part.range, let length = info.length, length < range.upperBound {
            try await discard(part, info)
            throw CacheError(
                .badResponse, "\(info.url) has \(length) bytes, but its playlist requires at least \(range.upperBound)")
        }
        switch part.role {
        case .key:
            guard let length = info.length, [16, 32].contains(length) else {
                throw try await rejection(part, info, "has \(info.length ?? 0) bytes, but a key has 16 or 32")
            }
            return .valid
        case .other: return .valid
        case .file:
            guard info.length != 0, try await isPlaylist(info, request) else { return .valid }
            _ = try await store.remove(id: info.id)
            return .playlist
        case .mediaSegment, .initializationSection:
            guard info.length != 0 || part.isText else { throw try await rejection(part, info, "is empty") }
            var front = info.length == 0 ? [] : try await front(of: part, request)
            let length = part.range.map { Int64($0.count) } ?? info.length ?? 0
            var wrapping = SegmentWrapping.none
            if SegmentWrapping.mayBegin(front) {
                front = try await self.front(of: part, request, length: Int64(SegmentWrapping.frontLength))
                wrapping = SegmentWrapping.find(front: front, length: length, isEncrypted: part.isEncrypted)
            }
            if let problem = SegmentCheck.problem(part, front: front, length: length, wrapping) {
                throw try await rejection(part, info, problem)
            }
            return wrapping.note.map { .validWithNote(.init(url: part.url, text: $0)) } ?? .valid
        }
    }

    private func isPlaylist(_ info: ResourceInfo, _ request: ReadRequest) async throws -> Bool {
        guard info.length.map({ $0 <= Int64(PlaylistParser.Limits().playlistLength) }) ?? true else { return false }
        let front = try await front(of: AssetPart(role: .file, name: "", url: info.url), request)
        if case .playlist = BodyKind(of: front) { return true }
        return false
    }

    private func rejection(_ part: AssetPart, _ info: ResourceInfo, _ problem: String) async throws -> CacheError {
        try await discard(part, info)
        return CacheError(.notMedia, "\(info.url) \(problem)")
    }

    /// Removes the resource of a rejected part. A part with its own cache key shares its resource with no other part.
    private func discard(_ part: AssetPart, _ info: ResourceInfo) async throws {
        if part.range == nil || part.storedAs != nil { _ = try await store.remove(id: info.id) }
    }

    /// Returns the first `length` bytes of a cached part, or all of a shorter one. Doesn't contact the origin.
    func front(
        of part: AssetPart, _ request: ReadRequest, length: Int64 = PartFetch.frontLength
    ) async throws -> [UInt8] {
        let start = part.range?.lowerBound ?? 0
        let end = min(part.range?.upperBound ?? .max, start + length)
        var request = request
        request.range = .closed(start, through: end - 1)
        request.settings = request.settings?.withoutOriginRequests
        request.pins = false
        return try await store.read(request).collect()
    }
}

extension ReadSession {
    /// Returns the remaining bytes, and ends the session.
    func collect() async throws -> [UInt8] {
        defer { cancel() }
        var bytes: [UInt8] = []
        for try await buffer in buffers { bytes += buffer }
        return bytes
    }
}

extension AssetPart {
    /// Whether the part is a subtitle segment, which may be empty.
    var isText: Bool { name.hasPrefix("text") || name.hasSuffix(".vtt") || name.hasSuffix(".webvtt") }
}

/// A check of a body's first bytes and length. It detects bodies that can't be the requested media segment.
enum SegmentCheck {
    /// Returns a description of the problem; nil if there is none.
    static func problem(_ part: AssetPart, front: [UInt8], length: Int64, _ wrapping: SegmentWrapping) -> String? {
        guard wrapping == .none else { return nil }
        switch BodyKind(of: front) {
        case .playlist: return "is a playlist instead of media"
        case .other(let content):
            let isUnusable =
                switch content {
                case .html, .json: true
                case .xml, .urlList: !part.isText
                case .text, .image: !part.isText && !part.isEncrypted
                default: false
                }
            if isUnusable { return "is \(content) instead of media; its origin may be failing" }
            if content == .empty, !part.isText, !part.isEncrypted {
                return "contains only blank lines instead of media"
            }
        }
        if part.hasWholeBlocks, part.range == nil, length % 16 != 0 {
            return "has \(length) bytes, which isn't a multiple of the cipher's 16-byte blocks, so it's truncated"
        }
        return nil
    }
}

extension SegmentWrapping {
    var note: String? {
        switch self {
        case .none: nil
        case .image(let length): "an image of \(length) bytes precedes the segment; it's removed for playback"
        case .gzip: "the segment is compressed with gzip; it's decompressed for playback"
        }
    }
}
