internal import Foundation
internal import HLS
internal import MediaCache

/// Fetches a part of an asset or a recording into a store, and looks whether what came is what was asked for.
struct PartFetch: Sendable {
    let store: CacheStore

    /// How many bytes of a part's front are looked at.
    private static let frontLength: Int64 = 1024
    /// The longest body that is taken out of a content coding.
    private static let longestCoded: Int64 = 64 << 20

    /// Fetches the missing bytes of a part. The access rule decides before cached bytes become a part of an asset.
    func fill(_ part: AssetPart, _ request: ReadRequest) async throws -> ResourceInfo {
        var request = request
        try await store.checkAccess(&request)
        do {
            return try await store.fill(request)
        } catch let error as CacheError where error.contentCoding != nil && part.range == nil {
            return try await fillDecoded(request)
        }
    }

    /// Origins that always compress send nothing by ranges: it's taken whole, and kept without the coding.
    private func fillDecoded(_ request: ReadRequest) async throws -> ResourceInfo {
        let url = request.url
        _ = try await store.wholeBody(
            WholeBodyRequest(
                url: url, maximumLength: Self.longestCoded, transferClass: request.transferClass,
                settings: request.settings, revalidation: .never, kind: request.kind
            ) { body in
                body.bytes = try Inflater.decode(
                    body.bytes, coding: body.contentCoding, name: "\(url)", limit: Int(Self.longestCoded))
                body.contentCoding = nil
                return true
            })
        guard let info = try await store.resource(of: request), info.isComplete else {
            throw CacheError(.storage, "\(url) can't be kept")
        }
        try await store.setPinned(true, id: info.id)
        return info
    }

    /// What a look at a part that came told.
    enum Finding {
        case right
        case noteworthy(AssetContents.Note)
        /// What was taken for a file is a playlist.
        case playlist
    }

    /// Looks whether what came is what was asked for. What isn't is removed.
    ///
    /// - Throws: `CacheError` with `notMedia`.
    func check(_ part: AssetPart, _ request: ReadRequest, _ info: ResourceInfo) async throws -> Finding {
        if let range = part.range, let length = info.length, length < range.upperBound {
            throw CacheError(
                .badResponse, "\(info.url) has \(length) bytes, and its playlist names some up to \(range.upperBound)")
        }
        switch part.role {
        case .key:
            guard let length = info.length, [16, 32].contains(length) else {
                throw try await refused(part, info, "has \(info.length ?? 0) bytes, and a key has 16")
            }
            return .right
        case .other: return .right
        case .file:
            guard info.length != 0, try await isPlaylist(info, request) else { return .right }
            _ = try await store.remove(id: info.id)
            return .playlist
        case .mediaSegment, .initializationSection:
            guard info.length != 0 || part.isText else { throw try await refused(part, info, "came empty") }
            var front = info.length == 0 ? [] : try await front(of: part, request)
            let length = part.range.map { Int64($0.count) } ?? info.length ?? 0
            var wrapping = SegmentWrapping.none
            if SegmentWrapping.mayBegin(front) {
                front = try await self.front(of: part, request, length: Int64(SegmentWrapping.frontLength))
                wrapping = SegmentWrapping.find(front: front, length: length, isEncrypted: part.isEncrypted)
            }
            if let problem = SegmentCheck.problem(part, front: front, length: length, wrapping) {
                throw try await refused(part, info, problem)
            }
            return wrapping.note.map { .noteworthy(.init(url: part.url, text: $0)) } ?? .right
        }
    }

    private func isPlaylist(_ info: ResourceInfo, _ request: ReadRequest) async throws -> Bool {
        guard info.length.map({ $0 <= Int64(PlaylistParser.Limits().playlistLength) }) ?? true else { return false }
        let front = try await front(of: AssetPart(role: .file, name: "", url: info.url), request)
        if case .playlist = BodyKind(of: front) { return true }
        return false
    }

    private func refused(_ part: AssetPart, _ info: ResourceInfo, _ problem: String) async throws -> CacheError {
        // Others have parts of the same resource.
        if part.range == nil { _ = try await store.remove(id: info.id) }
        return CacheError(.notMedia, "\(info.url) \(problem)")
    }

    /// The first bytes of a part that is here.
    func front(
        of part: AssetPart, _ request: ReadRequest, length: Int64 = PartFetch.frontLength
    ) async throws -> [UInt8] {
        let start = part.range?.lowerBound ?? 0
        let end = min(part.range?.upperBound ?? .max, start + length)
        var request = request
        request.range = .closed(start, through: end - 1)
        request.settings = request.settings?.askingNoOrigins
        request.pins = false
        let session = try await store.read(request)
        defer { session.cancel() }
        var bytes: [UInt8] = []
        for try await buffer in session.buffers { bytes += buffer }
        return bytes
    }
}

extension AssetPart {
    /// Whether it's a segment of subtitles, which may be empty.
    var isText: Bool { name.hasPrefix("text") || name.hasSuffix(".vtt") || name.hasSuffix(".webvtt") }
}
