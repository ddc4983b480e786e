import Foundation
import MediaCache
import MediaContainers
import MediaLibrary

/// The movies of assets: how the bytes of `media.mp4` are put together, found once and remembered while it's used.
final class MovieBook: Sendable {
    /// How a movie's bytes come.
    enum Movie: Sendable {
        /// From one file, whose samples stay as they are.
        case layout(ByteLayout, file: ReadRequest, head: ResourceHead)
        /// From a stream, remuxed as it's read.
        case stream(StreamMovie<StoreResources>)

        /// About how many bytes of memory it takes.
        var cost: Int64 {
            switch self {
            case .layout(let layout, _, _): layout.generatedLength
            case .stream(let movie): movie.memory
            }
        }
    }

    let store: CacheStore
    private let profiles: HeaderProfileBook
    private let movies = SharedResults<Movie>(most: 64, largestCost: 256 << 20, cost: \.cost)
    /// What readers of streams hold together; one alone holds a segment or two.
    let holding = SharedHolding(of: 128 << 20)
    /// Each reads a whole asset.
    private let turnstile = Turnstile(mostAtOnce: 2, mostWaiting: 32)

    init(store: CacheStore, profiles: HeaderProfileBook) {
        self.store = store
        self.profiles = profiles
    }

    /// The movie of an asset, and what it's remembered by.
    ///
    /// - Throws: `CacheError` with `notFound` where not all of it is kept, saying what is missing; `notMedia` where it
    ///   can't become an MP4.
    func movie(of asset: Asset) async throws -> (movie: Movie, name: String) {
        let (request, info) = try await resource(of: asset)
        let available = try await available(info, request.url)
        let name = "\(info.key) \(info.validator) \(info.length ?? -1) \(available.sorted())"
        let movie = try await movies.value(for: name) { [store, turnstile] in
            try await turnstile.pass {
                try await BlockingWork.run { control in
                    try Self.movie(request, in: store, available, control)
                }
            }
        }
        return (movie, name)
    }

    /// Whether an asset begins with a playlist.
    func isStream(_ asset: Asset) async throws -> Bool {
        let (_, info) = try await resource(of: asset)
        return MediaTypes.isPlaylist(info.contentType)
    }

    private func resource(of asset: Asset) async throws -> (ReadRequest, ResourceInfo) {
        let url = try ResourceURL(asset.url)
        let settings = (profiles.settings(for: url, as: asset.identity) ?? store.transfers).askingNoOrigins
        let request = ReadRequest(url: url, settings: settings)
        guard let info = try await store.resource(of: request) else {
            throw CacheError(.notFound, "nothing is kept of \(url) any more; `get` it again")
        }
        return (request, info)
    }

    /// A movie whose files aren't any more what they were.
    func forget(_ name: String) { movies.forget(name) }

    /// The media playlists that can be read; empty for a file.
    private func available(_ info: ResourceInfo, _ url: ResourceURL) async throws -> Set<String> {
        if MediaTypes.isPlaylist(info.contentType),
            let stream = try await StreamStatus(of: url, as: info.identity, in: store)
        {
            guard stream.playsWithoutOrigin else {
                let missing = stream.playlists.filter { !$0.isComplete && $0.role != "multivariant" }
                let first = missing.first.map { ", such as \($0.segments - $0.segmentsKept) segments of \($0.url)" }
                throw CacheError(.notFound, "not all of the stream \(url) is kept\(first ?? ""); play all of it first")
            }
            return Set(stream.playlists.filter(\.isComplete).map(\.url))
        }
        guard info.isComplete else {
            throw CacheError(
                .notFound,
                "not all of \(url) is kept: \(info.bytesKept) of \(info.length.map(String.init) ?? "?") bytes; `get` it"
            )
        }
        return []
    }

    private static func movie(
        _ request: ReadRequest, in store: CacheStore, _ available: Set<String>, _ control: WorkControl
    ) throws -> Movie {
        let resources = StoreResources(
            store, settings: request.settings ?? store.transfers, control: WorkControl())
        do {
            let source = try MovieSource(of: "\(request.url)", resources: resources) { available.contains($0) }
            switch source {
            case .file(.mp4, let bytes):
                let layout = try ProgressiveRemux(try MP4Reader(bytes)).layout
                var front = request
                front.range = .closed(0, through: 0)
                let head = try control.wait { [front] in
                    let session = try await store.read(front)
                    session.cancel()
                    return session.head
                }
                return .layout(layout, file: request, head: head)
            case .file:
                return try stream(StreamPlan(inputs: [[StreamPart(url: "\(request.url)")]]), resources, control)
            case .playlist(let plan):
                return try stream(plan, resources, control)
            }
        } catch let error as ContainerError {
            if error.cause is CancellationError { throw CancellationError() }
            throw CacheError(.notMedia, "\(request.url) can't become an MP4: \(error)", cause: error)
        }
    }

    private static func stream(
        _ plan: StreamPlan, _ resources: StoreResources, _ control: WorkControl
    ) throws -> Movie {
        .stream(
            try StreamMovie(plan, resources: resources) { (_, _) throws(ContainerError) in
                do {
                    try control.check()
                } catch {
                    throw ContainerError(.inputOutput, "interrupted", cause: error)
                }
            })
    }
}
