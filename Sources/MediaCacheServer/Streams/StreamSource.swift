import HLS
import MediaCache
import MediaLibrary

/// Opens what play URLs name: a playlist rewritten so that its references come back here, a segment with its place in
/// the stream known, anything else as the store has it.
final class StreamSource: ByteReaderSource {
    private let store: CacheStore
    private let loader: PlaylistLoader
    private let book = StreamBook()
    private let profiles: HeaderProfileBook
    private let variableBook = VariableBook()
    private let publicPath: String
    private let segmentsAhead: Int
    private let signature: @Sendable (PlayTarget) -> String

    /// - Parameters:
    ///   - profiles: is told whom playlists name.
    ///   - loader: what reads playlists; shared with downloads.
    ///   - publicPath: where a reverse proxy shows this server.
    ///   - segmentsAhead: how many segments are fetched beyond the one asked for.
    ///   - signature: signs play URLs; see ``PlaylistRewriter/signature``.
    init(
        store: CacheStore, profiles: HeaderProfileBook, loader: PlaylistLoader, publicPath: String, segmentsAhead: Int,
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
        let (request, place) = placed(request)
        guard let session = try store.readIfOpen(request) else { return nil }
        guard !isFromForbiddenAddress(session.head, target) else {
            session.cancel()
            return nil
        }
        guard !MediaType.isPlaylist(session.head.contentType) else {
            session.cancel()
            loader.remember(request.url)
            return nil
        }
        if let place { fetchAhead(of: place, request) }
        return session
    }

    func reader(_ request: ReadRequest, for target: PlayTarget) async throws -> any ByteReader {
        if let kind = target.options.document { return try await document(kind, request, target) }
        if loader.expectsPlaylist(at: request.url), let reader = try await playlist(request, target) { return reader }
        let (placedRequest, place) = placed(request)
        try await refuseGap(at: place, placedRequest)
        var session: ReadSession
        do {
            session = try await store.read(placedRequest)
            if isFromForbiddenAddress(session.head, target) {
                session.cancel()
                var confirmed = placedRequest
                confirmed.revalidation = .since(store.monotonicTime)
                session = try await store.read(confirmed)
            }
        } catch let error as CacheError where error.contentCoding != nil {
            // Of a coded body only the whole can be read: a playlist that isn't called like one, for instance.
            return try await codedReader(placedRequest, target, isSegment: place != nil, refusedBy: error)
        }
        if MediaType.isPlaylist(session.head.contentType) {
            session.cancel()
            loader.remember(request.url)
            if let reader = try await playlist(request, target) { return reader }
            return try await store.read(request)
        }
        if let place { fetchAhead(of: place, request) }
        return session
    }

    /// Whether a cached version came from a local address although a public document names it, by a URL that a token of
    /// one asset opens. Its holder must not read through the cache what the origin's rule would refuse: the origin is
    /// asked first, so that granted networks stay readable.
    private func isFromForbiddenAddress(_ head: ResourceHead, _ target: PlayTarget) -> Bool {
        target.options.signature != nil && target.options.isPublicOnly && head.addressKind(at: target.url) == .local
    }

    /// Answers at once for what its playlist says isn't there (RFC 8216bis §4.4.4.7), unless it's here all the same.
    private func refuseGap(at place: SegmentPlace?, _ request: ReadRequest) async throws {
        guard let place, place.isGap, !store.isHere(request) else { return }
        if place.namedSince == nil, try await store.resource(of: request)?.isComplete == true { return }
        throw CacheError(.notFound, "the playlist of \(request.url) says that there is a gap (EXT-X-GAP)")
    }

    /// Reads what came in a content coding, whole: a playlist, or media that is small enough.
    private func codedReader(
        _ request: ReadRequest, _ target: PlayTarget, isSegment: Bool, refusedBy error: CacheError
    ) async throws -> any ByteReader {
        do {
            guard let reader = try await playlist(request, target, mayBeEncrypted: isSegment) else {
                return try await store.read(request)
            }
            loader.remember(request.url)
            return reader
        } catch let other as CacheError where other.code != .cancelled {
            throw error
        }
    }

    // MARK: - Playlists

    /// The playlist as it is sent; nil if the resource is something else.
    private func playlist(
        _ request: ReadRequest, _ target: PlayTarget, mayBeEncrypted: Bool = false
    ) async throws -> MemoryReader? {
        let loaded = try await loader.load(
            request.url, scope: target.options.scope, settings: request.settings, mayBeEncrypted: mayBeEncrypted)
        guard let playlist = loaded?.inUTF8 else { return nil }
        guard !isFromForbiddenAddress(playlist.head, target) else {
            throw CacheError(
                .forbiddenAddress, "\(request.url) came from a local address, and a public document names it")
        }
        let type = "application/vnd.apple.mpegurl"
        let variables = try variables(for: playlist, target)
        book.note(playlist, variables: variables, at: store.monotonicTime)
        let bytes = try rewriter(of: playlist, target).rewritten(importing: variables)
        return try reader(bytes, type, playlist.head, request, acceptsRanges: !playlist.isLive)
    }

    private func rewriter(of playlist: LoadedPlaylist, _ target: PlayTarget) -> PlaylistRewriter {
        PlaylistRewriter(
            playlist: playlist, target: target, publicPath: publicPath, profiles: profiles, variableBook: variableBook,
            signature: signature)
    }

    /// What the playlist may import (RFC 8216bis §4.4.2.3). Without what it does import, its references would be others.
    private func variables(for playlist: LoadedPlaylist, _ target: PlayTarget) throws -> [String: String] {
        if let variables = variableBook.variables(of: target.options) { return variables }
        let media = (try? PlaylistParser().parse(playlist.bytes))?.playlist.media
        let imports = media?.variables.contains { definition in
            if case .imported = definition.source { true } else { false }
        }
        guard imports == true else { return [:] }
        throw CacheError(
            .notFound,
            "\(playlist.url) imports variables that are forgotten (the server may have been started again); "
                + "ask for its multivariant playlist anew")
    }

    /// A JSON document that a playlist named: fresh each time, since it decides what comes next.
    private func document(
        _ kind: StreamDocument.Kind, _ request: ReadRequest, _ target: PlayTarget
    ) async throws -> MemoryReader {
        var whole = WholeBodyRequest(
            url: request.url, maximumLength: 4 << 20, settings: request.settings
        ) { _ in false }
        var body = try await store.wholeBody(whole)
        if isFromForbiddenAddress(body.head, target) {
            whole.revalidation = .since(store.monotonicTime)
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

    // MARK: - Segments

    /// The request with what its place in a stream asks for: all of a segment at once, and of a live one nothing that
    /// came before its name meant it.
    private func placed(_ request: ReadRequest) -> (ReadRequest, SegmentPlace?) {
        guard let place = book.place(of: request.url) else { return (request, nil) }
        var request = request
        request.kind = place.kind
        if place.isWholeResource { request.policy = .whole }
        if place.isHint { request.settings = (request.settings ?? store.transfers).waitingForWhatComes }
        if let moment = place.namedSince { request.revalidation = .since(moment) }
        return (request, place)
    }

    /// Fetches the next segments beside the player, with the scope of the playlist that names them.
    private func fetchAhead(of place: SegmentPlace, _ request: ReadRequest) {
        let (urls, scope) = book.following(place, count: segmentsAhead)
        guard !urls.isEmpty else { return }
        let settings = (request.settings ?? store.transfers).narrowed(to: scope)
        Task {
            for url in urls {
                let (ahead, place) = placed(ReadRequest(url: url, transferClass: .preload, settings: settings))
                guard let place, !store.isHere(ahead) else { continue }
                if place.namedSince == nil, (try? await store.resource(of: ahead))??.isComplete == true { continue }
                // Its player asks for itself and hears of it then.
                try? await store.read(ahead).cancel()
            }
        }
    }
}
