import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/bundles`: the export of assets to folders, and their import. Only the client accesses the folder; the
/// server receives no file paths.
///
/// `GET ?asset=<id, URL or title>` returns the description of an asset, and `GET ?channel=<name>&from=&to=` that of a
/// finished window of a channel. An import is a `POST` of the contents, a `PUT <id>/<part>?offset=&length=` for the
/// bytes of each part, and a `POST <id>/complete`.
struct BundlesRoute: Route {
    static let path = "/api/v1/bundles"

    let paths = [BundlesRoute.path, BundlesRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let downloads: Downloads?
    let recordings: Recordings?
    let contentsCache: AssetContentsCache
    let urls: ServerURLs

    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int {
        switch method {
        case .get, .head: 0
        case .put, .post: limits.maximumImageBytes
        default: limits.maximumBodyBytes
        }
    }

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/", maxSplits: 1)
        switch (parts.count, request.method) {
        case (0, .get), (0, .head):
            try store.requireReadableFolder()
            if let channel = request.queryItem("channel") { return try .json(try await window(of: channel, request)) }
            guard let name = request.queryItem("asset"), !name.isEmpty else {
                throw Problem.badRequest("the query item asset or channel is missing")
            }
            guard request.queryItem("from") == nil, request.queryItem("to") == nil else {
                throw Problem.badRequest("from and to select a part of a channel, not of an asset")
            }
            return try .json(try await record(of: try await asset(named: name)))
        case (0, .post):
            try store.requireWritableFolder()
            let bundle = try request.decode(BundleImportRequest.self)
            try Self.check(bundle)
            try Self.check(try request.decode(PartRanges.self))
            return try await begin(bundle)
        case (2, .put):
            try store.requireWritableFolder()
            return try await write(request, try AssetID(pathPart: parts[0]), String(parts[1]))
        case (2, .post) where parts[1] == "complete":
            try store.requireWritableFolder()
            let (id, gaps) = (try AssetID(pathPart: parts[0]), try request.flag("gaps"))
            let asset = try await reportingDownloads { try await ingestion.finish(id, gaps: gaps) }
            try await downloads?.adopt(asset.id)
            return try .json(try await record(of: asset))
        case (0, _): throw request.methodNotAllowed(.get, .post)
        case (2, _): throw request.methodNotAllowed(parts[1] == "complete" ? .post : .put)
        default: throw Problem.unknownPath
        }
    }

    private func begin(_ bundle: BundleImportRequest) async throws -> RouteResponse {
        let (asset, isComplete) = try await reportingDownloads {
            try await ingestion.begin(
                title: bundle.title, defaultTitle: bundle.defaultTitle, url: bundle.url, contents: bundle.contents,
                lost: bundle.lost)
        }
        return try .json(try await record(of: asset), status: isComplete ? 200 : 201)
    }

    /// Runs `work` and reports an unfinished download of the asset as a conflict.
    private func reportingDownloads<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as BundleIngestion.DownloadInProgress {
            throw Problem.conflict(
                "\(error.url) is being downloaded as the asset \(error.asset); cancel the download first")
        }
    }

    private var ingestion: BundleIngestion { BundleIngestion(store: store, assetStore: assetStore) }

    /// The ranges of a bundle's parts, decoded as arrays, because decoding a `Range` ignores elements after the second.
    private struct PartRanges: Decodable {
        struct Contents: Decodable {
            var parts: [Part]
        }
        struct Part: Decodable {
            var range: [Int64]?
        }
        var contents: Contents
    }

    private static func check(_ ranges: PartRanges) throws {
        guard ranges.contents.parts.allSatisfy({ $0.range.map { $0.count == 2 } ?? true }) else {
            throw Problem.badRequest(
                "a part's range must be two numbers: the offset of its first byte and the offset after its last")
        }
    }

    /// Throws if a value can't be stored and read back.
    private static func check(_ bundle: BundleImportRequest) throws {
        try Bounds.check(title: bundle.title)
        try Bounds.check(title: bundle.defaultTitle)
        try Bounds.check(bundle.lost, 0...Bounds.segments.upperBound, "lost")
        try Bounds.check(bundle.contents.duration, Bounds.seconds, "duration")
        try Bounds.check(bundle.contents.estimatedLength, Bounds.bytes, "estimatedLength")
        for part in bundle.contents.parts {
            let texts = [part.name, part.url, part.storedAs ?? part.name]
            guard texts.allSatisfy({ !$0.isEmpty && !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
                throw Problem.badRequest("a part's name or URL is empty or contains control characters")
            }
            try Bounds.check(part.start, -Bounds.seconds.upperBound...Bounds.seconds.upperBound, "start")
            try Bounds.check(part.duration, Bounds.seconds, "duration")
            try Bounds.check(part.range?.lowerBound, Bounds.bytes, "range")
            try Bounds.check(part.range?.upperBound, Bounds.bytes, "range")
        }
    }

    /// Stores bytes of a part. Its name is percent-encoded, but clients may also send a name with a literal `%`.
    private func write(_ request: RouteRequest, _ id: AssetID, _ encodedName: String) async throws -> RouteResponse {
        let asset = try await assetStore.requireAsset(id)
        guard asset.download?.state != .complete else {
            throw Problem.conflict("the asset \(id) is already complete")
        }
        let name = PercentCoding.decode(encodedName) ?? encodedName
        let index = try await contentsCache.index(of: id)
        guard let part = index?.part(name) ?? index?.part(encodedName) else {
            throw Problem.notFound("the asset \(id) has no part “\(name)”")
        }
        guard let offset = request.queryItem("offset").flatMap({ Int64($0) }),
            let length = request.queryItem("length").flatMap({ Int64($0) }),
            offset >= 0, !request.body.isEmpty, length >= Int64(request.body.count),
            offset <= length - Int64(request.body.count)
        else { throw Problem.badRequest("offset and length don't match the number of bytes in the body") }
        do {
            try await ingestion.store(request.body, at: offset, of: length, as: part)
        } catch let error as CacheError where error.code == .representationChanged {
            // No origin is involved, so it isn't a bad gateway.
            throw Problem.conflict("the part “\(name)” is cached with another length than \(length) bytes")
        }
        return RouteResponse(status: 204)
    }

    /// Returns the bundle of a channel's window. Without `from` and `to`, it is the whole recording.
    private func window(of channel: String, _ request: RouteRequest) async throws -> BundleRecord {
        guard let name = ChannelName(rawValue: channel), let recording = recordings?.recording(name) else {
            throw Problem.notFound("there is no channel “\(channel)”; /api/v1/channels lists the channels")
        }
        let live = LiveChannel(recording: recording, name: name, query: request.query, isStrict: true)
        let channel = await recording.channel
        let ranges = recording.coveredRanges()
        let end = channel.hasEnded ? ranges.last?.upperBound : await recording.edge
        guard let first = ranges.first, let end else {
            throw Problem.notFound("the channel \(name) has no recorded data yet")
        }
        let from = try request.queryItem("from").map { try live.moment($0, "from") } ?? first.lowerBound
        let to = try request.queryItem("to").map { try live.moment($0, "to") } ?? end
        guard to > from else {
            if request.queryItem("from") != nil, request.queryItem("to") != nil {
                throw Problem.badRequest("to must be after from")
            }
            throw await recording.outside("the window is outside the recorded time")
        }
        let window = try await recording.finished(from: from, to: to, isStrict: true)
        return BundleRecord(
            id: name.rawValue, title: name.rawValue, url: channel.url, withCredentials: channel.identity != nil,
            selection: channel.selection, state: nil, holeCount: window.gaps, hasCover: false,
            libraryURL: try urls.liveURL(of: name), contents: window.contents)
    }

    /// Returns the asset with this ID, URL, or unique title.
    private func asset(named name: String) async throws -> Asset {
        if let id = AssetID(rawValue: name), let asset = try await assetStore.asset(id) { return asset }
        let assets = try await assetStore.assets()
        if let url = try? ResourceURL(name), let asset = assets.first(where: { $0.url == url.description }) {
            return asset
        }
        let titled = assets.filter { $0.title == name }
        if titled.count > 1 {
            let ids = titled.map(\.id.rawValue).joined(separator: ", ")
            throw Problem.badRequest("\(titled.count) assets have the title “\(name)”; use one of the IDs \(ids)")
        }
        guard let asset = titled.first else {
            throw Problem.notFound("there is no asset “\(name)”; download it first")
        }
        return asset
    }

    private func record(of asset: Asset) async throws -> BundleRecord {
        // The state of a download is newer than the stored asset.
        let asset = await downloads?.status(of: asset.id)?.asset ?? asset
        return BundleRecord(
            id: asset.id.rawValue, title: asset.title, url: asset.url, withCredentials: asset.identity != nil,
            selection: asset.download?.selection, state: asset.download.map { DownloadRecord.State($0.state) },
            holeCount: asset.holeCount, hasCover: asset.cover != nil,
            libraryURL: try urls.libraryURL(of: asset.id),
            contents: try await contentsCache.index(of: asset.id)?.contents)
    }
}
