import Foundation
import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// A cache of the movies of assets and of windows of recordings: the layout of each MP4, computed once.
final class MovieCache: Sendable {
    /// The source of a movie's bytes.
    enum Movie: Sendable {
        /// A file whose samples are served unchanged.
        case layout(ByteLayout, file: ReadRequest, head: ResourceHead, hasVideo: Bool)
        /// A stream that is remuxed while it is read.
        case stream(StreamMovie<StoreResources>)

        var cost: Int64 {
            switch self {
            case .layout(let layout, _, _, _):
                layout.generatedLength
                    + Int64(layout.pieces.count * (MemoryLayout<ByteLayout.Piece>.stride + MemoryLayout<Int64>.stride))
            case .stream(let movie): movie.memory
            }
        }
    }

    let store: CacheStore
    let contents: AssetContentsCache
    private let profiles: HeaderProfileStore
    private let movies = SharedResults<Movie>(maximumCount: 64, maximumCost: 256 << 20, cost: \.cost)
    /// The memory shared by all readers of streams. A single reader uses one or two segments.
    let budget = ReaderMemoryBudget(of: 128 << 20)
    /// The limit of pieces generated concurrently. Each occupies a thread while it waits for its segments.
    let reading = ConcurrencyLimit(4)
    /// The maximum number of concurrent readers of streams, so that each gets a share of the memory.
    static let maximumReaders = 128
    /// The limit of concurrent planning. Each plan reads a whole asset.
    private let limit = ConcurrencyLimit(2, maximumWaiting: 32)

    init(store: CacheStore, profiles: HeaderProfileStore, contents: AssetContentsCache) {
        self.store = store
        self.contents = contents
        self.profiles = profiles
    }

    /// Returns the movie of an asset, and its key in the cache.
    ///
    /// - Parameter allowsGaps: Whether missing segments may remain gaps.
    /// - Throws: `CacheError` with `notFound` and the missing parts if the asset isn't completely cached, or with the
    ///   code of the read that failed; ``Problem`` with 422 if the asset can't be converted to an MP4, or with 404 if
    ///   segments are missing and gaps aren't allowed; ``ConcurrencyLimit/Exceeded`` if too many movies are waiting to
    ///   be planned.
    func movie(of asset: Asset, allowsGaps: Bool) async throws -> (movie: Movie, name: String) {
        if let stream = try await streamMovie(of: asset, allowsGaps: allowsGaps) { return stream }
        let (request, info) = try await resource(of: asset)
        let available = try await available(info, request.url)
        let name = "\(info.key) \(info.validator) \(info.length ?? -1) \(available.sorted())"
        let movie = try await movies.value(for: name) { [store, limit] in
            try await limit.run {
                try await BlockingOperation.run { control in
                    try Self.movie(request, in: store, available, control)
                }
            }
        }
        return (movie, name)
    }

    /// Returns whether a decoder has to read an asset as a movie: always for a stream, and for a complete MP4 or
    /// QuickTime file that can be rearranged.
    ///
    /// - Throws: `CacheError` with `notFound` if the asset is no longer cached; the errors of ``movie(of:allowsGaps:)``
    ///   if a stream can't be read.
    func isReadAsMovie(_ asset: Asset) async throws -> Bool {
        if try await streamMovie(of: asset, allowsGaps: true) != nil { return true }
        let (_, info) = try await resource(of: asset)
        if MediaType.isPlaylist(info.contentType) {
            _ = try await movie(of: asset, allowsGaps: true)
            return true
        }
        let type = MediaType.essence(info.contentType) ?? ""
        guard info.isComplete, type.hasSuffix("/mp4") || type == "video/quicktime" else { return false }
        return (try? await movie(of: asset, allowsGaps: true)) != nil
    }

    /// Returns the movie of a stream with known contents, which later changes to its playlists don't affect; nil for
    /// any other asset.
    private func streamMovie(of asset: Asset, allowsGaps: Bool) async throws -> (movie: Movie, name: String)? {
        let (index, version) = try await contents.versioned(asset.id)
        guard let index, !index.contents.playlists.isEmpty else { return nil }
        switch asset.download?.state {
        case nil, .complete, .completeWithHoles:
            guard allowsGaps || asset.holeCount == 0 else {
                throw Problem.notFound(lost: asset.holeCount, of: asset.title ?? asset.url)
            }
        case .queued, .running, .paused, .waiting, .failed:
            throw CacheError(.notFound, "\(asset.url) isn't completely cached; complete its download first")
        }
        return try await movie(
            named: "\(asset.id) \(version) \(asset.holeCount) \(allowsGaps)", title: asset.url, allowsGaps: allowsGaps,
            try settings(for: asset), asset
        ) { (index, { _ in }) }
    }

    /// Returns the movie of a window of a recording.
    ///
    /// - Parameters:
    ///   - name: A name that is unique to the window.
    ///   - url: The movie's URL in messages.
    ///   - title: The window's description in messages.
    ///   - allowsGaps: Whether lost segments, and segments that can't be read, may remain gaps.
    ///   - window: Returns the window if its movie isn't cached.
    /// - Throws: The errors of ``movie(of:allowsGaps:)``.
    func movie(
        named name: String, url: String, window title: String, allowsGaps: Bool,
        _ window: @escaping @Sendable () async throws -> RecordedWindow
    ) async throws -> (movie: Movie, name: String) {
        try await movie(named: name, title: url, allowsGaps: allowsGaps, store.transfers.withoutOriginRequests, nil) {
            let window = try await window()
            return (
                ContentsIndex(window.contents),
                { plan in
                    let lost = window.gaps(in: plan)
                    guard lost == 0 || allowsGaps else { throw Problem.notFound(lost: lost, of: title) }
                }
            )
        }
    }

    /// - Parameter contents: Returns the contents of the movie, and a check of its plan.
    private func movie(
        named name: String, title: String, allowsGaps: Bool, _ settings: TransferSettings, _ asset: Asset?,
        _ contents: @escaping @Sendable () async throws -> (ContentsIndex, @Sendable (StreamPlan) throws -> Void)
    ) async throws -> (movie: Movie, name: String) {
        let movie = try await movies.value(for: name) { [store, limit] in
            let (index, check) = try await contents()
            let entry = index.contents.entry
            return try await limit.run {
                try await BlockingOperation.run { control in
                    let resources = StoreResources(
                        store, settings: settings, control: control, asset: asset, contents: index)
                    do {
                        let plan = try StreamPlan(
                            playlist: ContentsIndex.base + entry, choice: .allOfAsset, resources: resources)
                        try check(plan)
                        return try Self.stream(plan, resources, allowsGaps: allowsGaps, control)
                    } catch let error as ContainerError {
                        throw Self.failure(error, of: title)
                    }
                }
            }
        }
        return (movie, name)
    }

    private func settings(for asset: Asset) throws -> TransferSettings {
        let url = try ResourceURL(asset.url)
        return (profiles.settings(for: url, as: asset.identity) ?? store.transfers).withoutOriginRequests
    }

    private func resource(of asset: Asset) async throws -> (ReadRequest, ResourceInfo) {
        let url = try ResourceURL(asset.url)
        let request = ReadRequest(url: url, settings: try settings(for: asset))
        guard let info = try await store.resource(of: request) else {
            throw CacheError(.notFound, "\(url) is no longer cached; download it again with `mediacache get`")
        }
        return (request, info)
    }

    /// Returns the cover in the metadata of a file; nil if there is none.
    ///
    /// - Throws: `CacheError` or `ContainerError` if the file can't be read.
    func embeddedCover(of asset: Asset) async throws -> Cover? {
        let (request, _) = try await resource(of: asset)
        return try await limit.run { [store] in
            try await BlockingOperation.run { control in
                let settings = request.settings ?? store.transfers
                let resources = StoreResources(store, settings: settings, control: control)
                return try Cover.embedded(in: try resources.bytes(of: "\(request.url)", range: nil))
            }
        }
    }

    /// Removes from the cache a movie whose files have changed.
    func forget(_ name: String) { movies.forget(name) }

    /// Returns the media playlists that can be read; empty for a file.
    ///
    /// - Throws: `CacheError` with `notFound` if the file isn't complete or the stream doesn't play without its origin.
    private func available(_ info: ResourceInfo, _ url: ResourceURL) async throws -> Set<String> {
        if MediaType.isPlaylist(info.contentType),
            let stream = try await StreamStatus(of: url, as: info.identity, in: store)
        {
            guard stream.playsWithoutOrigin else {
                throw CacheError(.notFound, "\(url) isn't completely cached: \(stream.shortage); play all of it first")
            }
            return Set(stream.playlists.filter(\.isComplete).map(\.url))
        }
        guard info.isComplete else {
            throw CacheError(
                .notFound,
                "\(url) isn't completely cached: \(info.bytesCached) of \(info.length.map(String.init) ?? "?") bytes; "
                    + "download it with `mediacache get`")
        }
        return []
    }

    private static func movie(
        _ request: ReadRequest, in store: CacheStore, _ available: Set<String>, _ control: OperationControl
    ) throws -> Movie {
        let resources = StoreResources(store, settings: request.settings ?? store.transfers, control: control)
        do {
            let source = try MovieSource(of: "\(request.url)", resources: resources) { url in
                // The URL as the store spells it.
                (try? ResourceURL(url)).map { available.contains("\($0)") } ?? false
            }
            switch source {
            case .file(.mp4, let bytes):
                let reader = try MP4Reader(bytes)
                let layout = try ProgressiveRemux(reader).layout
                var front = request
                front.range = .closed(0, through: 0)
                let head = try control.wait { [front] in
                    let session = try await store.read(front)
                    session.cancel()
                    return session.head
                }
                return .layout(
                    layout, file: request, head: head, hasVideo: reader.tracks.contains { $0.kind == .video })
            case .file:
                return try stream(StreamPlan(inputs: [[StreamPart(url: "\(request.url)")]]), resources, control)
            case .playlist(let plan): return try stream(plan, resources, control)
            }
        } catch let error as ContainerError {
            throw failure(error, of: "\(request.url)")
        }
    }

    private static func failure(_ error: ContainerError, of url: String) -> any Error {
        if error.cause is CancellationError { return CancellationError() }
        if let cause = error.cause as? CacheError {
            let reason = cause.code == .notFound ? "isn't completely cached" : "can't be read"
            return CacheError(cause.code, "\(url) \(reason): \(error)", cause: cause, status: cause.status)
        }
        // The bytes were evicted or replaced during the read.
        if error.code == .inputOutput {
            return CacheError(.representationChanged, "\(url) can't be read: \(error)", cause: error)
        }
        return Problem.notConvertible("\(url) can't be converted to MP4: \(error)")
    }

    private static func stream(
        _ plan: StreamPlan, _ resources: StoreResources, allowsGaps: Bool = false, _ control: OperationControl
    ) throws -> Movie {
        .stream(
            try StreamMovie(plan, resources: resources, missingParts: allowsGaps ? .leaveGaps : .fail) {
                (_, _) throws(ContainerError) in
                do {
                    try control.check()
                } catch {
                    throw ContainerError(.inputOutput, "interrupted", cause: error)
                }
            })
    }
}

extension Problem {
    /// Returns the error for a movie of a recording or download that was requested without gaps but lacks segments.
    static func notFound(lost count: Int, of title: String) -> Problem {
        let what = count == 1 ? "1 segment is" : "\(count) segments are"
        return .notFound("\(title): \(what) missing; request it with ?gaps=1 to leave gaps")
    }
}
