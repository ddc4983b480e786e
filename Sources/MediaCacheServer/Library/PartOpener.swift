import MediaCache
import MediaContainers
import MediaLibrary

/// The opener of a part of an asset: a playlist rewritten for the library, or bytes from the store.
struct PartOpener: ReaderOpener {
    let id: AssetID
    /// The path within the asset; empty for the asset's file or top playlist.
    let path: String
    /// The path as requested. It's the name of a part if that contains a literal `%`, because playlists contain names
    /// without encoding.
    let encodedPath: String
    /// Whether playlists mark missing segments as gaps.
    let marksGaps: Bool
    let assetStore: AssetStore
    let contentsCache: AssetContentsCache
    let store: CacheStore
    let reading: LibraryReading
    let plays: PlayCountRecorder
    let inflations: SegmentInflations

    var name: String { "\(LibraryRoute.prefix)\(id)/\(path)" }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        let asset = try await assetStore.requireAsset(id)
        guard let index = try await contentsCache.index(of: id) else {
            throw CacheError(.notFound, "\(asset.url) hasn't been analyzed yet; download it first")
        }
        let hasEncodedPath = index.playlist(encodedPath) != nil || index.part(encodedPath) != nil
        let part = path.isEmpty ? index.contents.entry : hasEncodedPath ? encodedPath : path
        if let playlist = index.playlist(part) {
            if part == index.contents.entry { plays.record(id) }
            reading.begins(part, of: id)
            let holes = marksGaps && asset.download?.state == .completeWithHoles ? asset.download?.holes ?? [] : []
            let text = index.text(of: playlist, missing: holes)
            return try MemoryReader(
                Array(text.utf8), contentType: "application/vnd.apple.mpegurl", range: range, name: name)
        }
        guard let found = index.part(part) else {
            throw CacheError(.notFound, "the asset \(id) has no “\(part)”; its first part is \(index.contents.entry)")
        }
        if found.role == .file, range.knownStart == 0 { plays.record(id) }
        reading.begins(part, of: id)
        return try await reader(range, of: found, asset)
    }

    private func reader(_ range: RequestedRange, of part: AssetPart, _ asset: Asset) async throws -> any ByteReader {
        if part.storedAs != nil {
            // Recorded parts can't be refetched.
            return try await RecordedBytes(
                part: part, isWrapped: part.role == .mediaSegment, name: name, store: store,
                settings: store.transfers.withoutOriginRequests, inflations: inflations
            ).reader(range)
        }
        var request = try part.request(settings: reading.settings(reading: asset), named: asset.url)
        request.range = range
        return try await store.withAccessCheck(request, to: (part, asset), discarding: { $0.cancel() }) {
            try await opened($0, part)
        }
    }

    private func opened(_ request: ReadRequest, _ part: AssetPart) async throws -> any ByteReader {
        var request = request
        // Small parts are fetched whole. Files, and resources that are read in ranges, are fetched as needed.
        if part.role != .file, part.range == nil { request.policy = .whole }
        guard part.range == nil, part.role == .mediaSegment || part.role == .initializationSection else {
            return try await store.read(request)
        }
        return try await UnwrappedPart(
            part: part, name: name, request: request, store: store, inflations: inflations
        ).reader()
    }
}
