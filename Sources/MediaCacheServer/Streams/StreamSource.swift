import HLS
import MediaCache
import MediaLibrary

/// The source of readers for play URLs: rewritten playlists, segments with their position in the stream, and other
/// resources unchanged.
final class StreamSource: ByteReaderSource {
    /// The maximum number of sessions to open in search of a version that may be read.
    private static let maximumRounds = 2

    private let store: CacheStore
    private let loader: PlaylistLoader
    private let recentPlaylists = RecentPlaylists()
    private let profiles: HeaderProfileStore
    private let variableCache = PlaylistVariableCache()
    private let publicPath: String
    private let segmentsAhead: Int
    private let signature: @Sendable (PlayTarget) -> String

    /// - Parameters:
    ///   - segmentsAhead: The number of segments to prefetch after the requested one.
    ///   - signature: Signs play URLs; see ``PlaylistRewriter/signature``.
    init(
        store: CacheStore, profiles: HeaderProfileStore, loader: PlaylistLoader, publicPath: String, segmentsAhead: Int,
        signature: @escaping @Sendable (PlayTarget) -> String
    ) {
        self.signature = signature
        self.store = store
        self.profiles = profiles
        self.publicPath = publicPath
        self.segmentsAhead = segmentsAhead
        self.loader = loader
    }

    func readerIfOpen(_ request: ReadRequest, for target: PlayTarget) throws -> (any ByteReader)? {
        guard target.options.document == nil, !loader.expectsPlaylist(at: request.url) else { return nil }
        let (request, position) = placed(request)
        guard let session = try store.readIfOpen(request) else { return nil }
        guard !needsAccessCheck(session.head, request, target) else {
            session.cancel()
            return nil
        }
        guard !MediaType.isPlaylist(session.head.contentType) else {
            session.cancel()
            loader.remember(request.url)
            return nil
        }
        if let position { fetchAhead(of: position, request) }
        return session
    }

    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader {
        if let kind = target.options.document { return try await document(kind, request, target) }
        let (placedRequest, position) = placed(request)
        var judged: WholeBody?
        if loader.expectsPlaylist(at: request.url) {
            switch try await loadResource(placedRequest, target, isSegment: position != nil) {
            case .playlist(let playlist): return try reader(playlist, target, request)
            case .media(let body): judged = body
            }
        }
        try await refuseGap(at: position, placedRequest)
        for _ in 0..<Self.maximumRounds {
            // Another request could return another version, so a body that isn't stored is read from memory.
            if let judged, judged.version == nil { return try reader(judged, request) }
            var refusal: CacheError?
            do {
                let session = try await openedSession(placedRequest, target)
                if isReadable(session, judged, request.url) {
                    if let position { fetchAhead(of: position, request) }
                    return session
                }
                session.cancel()
            } catch let error as CacheError where error.contentCoding != nil {
                // A body with a content coding can only be read whole. It may be a playlist despite its name.
                refusal = error
            }
            do {
                switch try await loadResource(placedRequest, target, isSegment: position != nil) {
                case .playlist(let playlist):
                    loader.remember(request.url)
                    return try reader(playlist, target, request)
                case .media(let body): judged = body
                }
            } catch let error as CacheError where error.code != .cancelled {
                throw refusal ?? error
            }
        }
        if let judged, judged.version == nil { return try reader(judged, request) }
        throw CacheError(
            .representationChanged, "\(request.url) changes with every request, so it can't be checked before it's read"
        )
    }

    /// Returns a session over a version that the access rule permits this request to read.
    private func openedSession(_ request: ReadRequest, _ target: PlayTarget) async throws -> ReadSession {
        let session = try await store.read(request)
        guard needsAccessCheck(session.head, request, target) else { return session }
        session.cancel()
        var confirmed = request
        confirmed.settings = (request.settings ?? store.transfers).narrowed(to: target.options.scope)
        confirmed.revalidation = try store.revalidationForAccess(to: request.url, confirmed.settings)
        return try await store.read(confirmed)
    }

    /// Returns whether a session's bytes may be sent unchanged: its version isn't a playlist, or the loader has checked
    /// it.
    ///
    /// If a resource has the name of a playlist, some players parse other text as one, so the loader has to check it.
    private func isReadable(_ session: ReadSession, _ judged: WholeBody?, _ url: ResourceURL) -> Bool {
        if let version = judged?.version, session.version == version { return true }
        return !MediaType.isPlaylist(session.head.contentType) && !PlaylistLoader.hasPlaylistName(url)
    }

    /// Returns whether the access rule must be checked before a cached version is read. This is the case if the version
    /// is from a local address and the request is limited to public addresses: a player mustn't read data from the
    /// cache that the access rule would refuse. The origin is requested first, so that granted networks remain
    /// readable.
    private func needsAccessCheck(_ head: ResourceHead, _ request: ReadRequest, _ target: PlayTarget) -> Bool {
        let kind = head.addressKind(at: request.url)
        return kind == .local && (target.options.isPublicOnly || store.needsAccessCheck(kind, request.settings))
    }

    /// Throws if the playlist marks the segment as a gap (RFC 8216bis §4.4.4.7), unless the segment is cached.
    private func refuseGap(at position: SegmentPosition?, _ request: ReadRequest) async throws {
        guard let position, position.isGap, !store.isAvailableWithoutOrigin(request) else { return }
        if position.namedSince == nil, try await store.resource(of: request)?.isComplete == true { return }
        throw CacheError(.notFound, "the playlist marks \(request.url) as a gap (EXT-X-GAP)")
    }

    private func loadResource(
        _ request: ReadRequest, _ target: PlayTarget, isSegment: Bool
    ) async throws -> PlaylistLoader.LoadedResource {
        try await loader.loadResource(
            request.url, scope: target.options.scope, settings: request.settings, mayBeEncrypted: isSegment)
    }

    private func reader(
        _ playlist: LoadedPlaylist, _ target: PlayTarget, _ request: ReadRequest
    ) throws -> MemoryReader {
        let playlist = playlist.inUTF8
        let type = "application/vnd.apple.mpegurl"
        let variables = try variables(for: playlist, target)
        recentPlaylists.note(playlist, variables: variables, at: store.monotonicTime)
        let bytes = try rewriter(of: playlist, target).rewritten(importing: variables)
        return try reader(bytes, type, playlist.head, request, acceptsRanges: !playlist.isLive)
    }

    /// Returns a reader of media that the loader has checked and that isn't stored.
    private func reader(_ body: WholeBody, _ request: ReadRequest) throws -> MemoryReader {
        try reader(body.bytes, body.head.contentType, body.head, request, acceptsRanges: true)
    }

    private func rewriter(of playlist: LoadedPlaylist, _ target: PlayTarget) -> PlaylistRewriter {
        PlaylistRewriter(
            playlist: playlist, target: target, publicPath: publicPath, profiles: profiles,
            variableCache: variableCache, signature: signature)
    }

    /// Returns the variables that the playlist may import (RFC 8216bis §4.4.2.3).
    ///
    /// - Throws: `CacheError` with `notFound` if it imports variables that are no longer cached.
    private func variables(for playlist: LoadedPlaylist, _ target: PlayTarget) throws -> [String: String] {
        if let variables = variableCache.variables(of: target.options) { return variables }
        let media = (try? PlaylistParser().parse(playlist.bytes))?.playlist.media
        let imports = media?.variables.contains { definition in
            if case .imported = definition.source { true } else { false }
        }
        guard imports == true else { return [:] }
        throw CacheError(
            .notFound,
            "\(playlist.url) imports variables that the server no longer has, for example after a restart; "
                + "reload its multivariant playlist")
    }

    /// Returns a reader of a JSON document that a playlist references. The document isn't stored; one that is already
    /// cached is revalidated unless it is fresh.
    private func document(
        _ kind: StreamDocument.Kind, _ request: ReadRequest, _ target: PlayTarget
    ) async throws -> MemoryReader {
        var whole = WholeBodyRequest(
            url: request.url, maximumLength: 4 << 20, settings: request.settings
        ) { _ in false }
        var body = try await store.wholeBody(whole)
        if body.isCached, needsAccessCheck(body.head, request, target) {
            whole.revalidation = try store.revalidationForAccess(to: request.url, request.settings)
            body = try await store.wholeBody(whole)
        }
        let document = LoadedPlaylist(
            bytes: body.bytes, head: body.head, url: request.url, kind: nil, scope: target.options.scope)
        let bytes = try rewriter(of: document, target).rewritten(as: kind)
        return try reader(bytes, "application/json", body.head, request, acceptsRanges: false)
    }

    private func reader(
        _ bytes: [UInt8], _ contentType: String, _ original: ResourceHead, _ request: ReadRequest, acceptsRanges: Bool
    ) throws -> MemoryReader {
        try MemoryReader(
            bytes, contentType: contentType, original: original, range: request.range, name: "\(request.url)",
            acceptsRanges: acceptsRanges)
    }

    /// Returns the request, adapted to the segment's position in a stream. A segment that is a whole resource is
    /// fetched whole. A version that was cached before the URL identified this segment is revalidated. A segment of a
    /// stream that is too long for the cache isn't stored.
    private func placed(_ request: ReadRequest) -> (ReadRequest, SegmentPosition?) {
        guard let position = recentPlaylists.position(of: request.url) else { return (request, nil) }
        var request = request
        request.kind = position.kind
        if position.isWholeResource { request.policy = .whole }
        if isTooLong(position) {
            request.settings = request.settings ?? store.transfers
            request.settings?.passesThrough = true
        }
        if position.isHint { request.settings = (request.settings ?? store.transfers).waitingForFutureContent }
        if let moment = position.namedSince { request.revalidation = .since(moment) }
        return (request, position)
    }

    private func isTooLong(_ position: SegmentPosition) -> Bool {
        guard let limit = store.admission.maximumDuration, let duration = position.streamDuration else { return false }
        return duration > limit
    }

    /// Prefetches the next segments, with the scope of the playlist that references them.
    private func fetchAhead(of position: SegmentPosition, _ request: ReadRequest) {
        let (urls, scope) = recentPlaylists.following(position, count: segmentsAhead)
        // A prefetched segment that isn't stored would be requested again.
        guard !urls.isEmpty, !isTooLong(position) else { return }
        let settings = (request.settings ?? store.transfers).narrowed(to: scope)
        Task {
            for url in urls {
                let (ahead, position) = placed(ReadRequest(url: url, transferClass: .preload, settings: settings))
                guard let position, !store.isAvailableWithoutOrigin(ahead) else { continue }
                if position.namedSince == nil, (try? await store.resource(of: ahead))??.isComplete == true { continue }
                // An error is reported when the player requests the segment.
                try? await store.read(ahead).cancel()
            }
        }
    }
}
