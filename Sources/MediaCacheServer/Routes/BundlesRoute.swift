import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/bundles`: what an asset consists of, for who writes it to a folder (`GET ?asset=<id, URL or title>`), or a
/// window of a channel that is over (`GET ?channel=<name>&from=&to=`), and the way of a bundle into the store: `POST` what
/// it consists of, `PUT <id>/<part>?offset=&length=` its bytes, `POST <id>/complete` at the end. The folder itself is the
/// client's; no path of a file comes here.
struct BundlesRoute: Route {
    static let path = "/api/v1/bundles"

    let paths = [BundlesRoute.path, BundlesRoute.path + "/"]
    let access = RouteAccess.key
    let store: CacheStore
    let shelf: AssetShelf
    let downloads: Downloads?
    /// Nil where the folder can't be written.
    let recordings: Recordings?
    let book: ContentsBook
    let libraryURL: @Sendable (AssetID) throws -> String
    let liveURL: @Sendable (ChannelName) throws -> String

    /// The contents of a long stream, and the bytes of a part, may be large.
    func bodyLimit(of method: HTTPRequest.Method, at path: String, within limits: ServerLimits) -> Int {
        switch method {
        case .get, .head: 0
        case .put, .post: limits.maximumPictureBytes
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
                throw Problem.badRequest("the query item asset is missing, or channel")
            }
            return try .json(try await record(of: try await asset(named: name)))
        case (0, .post):
            try store.requireWritableFolder()
            let wanted = try request.decode(BundleImportRequest.self)
            try Self.check(wanted)
            try Self.check(try request.decode(PartRanges.self))
            return try await begin(wanted)
        case (2, .put):
            try store.requireWritableFolder()
            return try await take(request, try AssetID(pathPart: parts[0]), String(parts[1]))
        case (2, .post) where parts[1] == "complete":
            try store.requireWritableFolder()
            let asset = try await ingestion.finish(
                try AssetID(pathPart: parts[0]), gaps: try request.flag("gaps"))
            try await downloads?.adopt(asset.id)
            return try .json(try await record(of: asset))
        case (0, _): throw request.methodNotAllowed(.get, .post)
        case (2, _): throw request.methodNotAllowed(parts[1] == "complete" ? .post : .put)
        default: throw Problem.notFound("there is nothing at this path")
        }
    }

    private func begin(_ wanted: BundleImportRequest) async throws -> RouteResponse {
        do {
            let (asset, isComplete) = try await ingestion.begin(
                title: wanted.title, url: wanted.url, contents: wanted.contents, lost: wanted.lost)
            return try .json(try await record(of: asset), status: isComplete ? 200 : 201)
        } catch let error as BundleIngestion.DownloadInProgress {
            throw Problem.conflict("\(error.url) is being downloaded as the asset \(error.asset); cancel that first")
        }
    }

    private var ingestion: BundleIngestion { BundleIngestion(store: store, shelf: shelf) }

    /// The ranges of a bundle's parts as they came: read as ranges, they lose what stands behind their two numbers.
    private struct PartRanges: Decodable {
        struct Contents: Decodable {
            var parts: [Part]
        }
        struct Part: Decodable {
            var range: [Int64]?
        }
        var contents: Contents
    }

    private static func check(_ wanted: PartRanges) throws {
        guard wanted.contents.parts.allSatisfy({ $0.range.map { $0.count == 2 } ?? true }) else {
            throw Problem.badRequest("a part's range is two numbers: its first byte, and the one behind its last")
        }
    }

    /// What is kept of a bundle has to be read again.
    private static func check(_ wanted: BundleImportRequest) throws {
        try Bounds.check(title: wanted.title)
        try Bounds.check(wanted.lost, 0...Bounds.segments.upperBound, "lost")
        try Bounds.check(wanted.contents.duration, Bounds.seconds, "duration")
        try Bounds.check(wanted.contents.estimatedLength, Bounds.bytes, "estimatedLength")
        for part in wanted.contents.parts {
            let texts = [part.name, part.url, part.keptAs ?? part.name]
            guard texts.allSatisfy({ !$0.isEmpty && !$0.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) else {
                throw Problem.badRequest("a part's name or URL is empty, or has characters that neither can have")
            }
            try Bounds.check(part.start, -Bounds.seconds.upperBound...Bounds.seconds.upperBound, "start")
            try Bounds.check(part.duration, Bounds.seconds, "duration")
            try Bounds.check(part.range?.lowerBound, Bounds.bytes, "range")
            try Bounds.check(part.range?.upperBound, Bounds.bytes, "range")
        }
    }

    private func take(_ request: RouteRequest, _ id: AssetID, _ name: String) async throws -> RouteResponse {
        let asset = try await shelf.requireAsset(id)
        guard asset.download?.state != .complete else { throw Problem.badRequest("the asset \(id) is complete") }
        guard let part = try await book.index(of: id)?.part(name) else {
            throw Problem.notFound("the asset \(id) has no “\(name)”")
        }
        guard let offset = request.queryItem("offset").flatMap({ Int64($0) }),
            let length = request.queryItem("length").flatMap({ Int64($0) }),
            offset >= 0, !request.body.isEmpty, length >= Int64(request.body.count),
            offset <= length - Int64(request.body.count)
        else { throw Problem.badRequest("offset and length don't fit the bytes that came") }
        try await ingestion.take(request.body, at: offset, of: length, as: part)
        return RouteResponse(status: 204)
    }

    /// A window of a channel: without from and to all that is kept of it.
    private func window(of channel: String, _ request: RouteRequest) async throws -> BundleRecord {
        guard let name = ChannelName(rawValue: channel), let recording = recordings?.recording(name) else {
            throw Problem.notFound("there is no channel “\(channel)”; /api/v1/channels lists those that there are")
        }
        let live = LiveChannel(recording: recording, name: name, query: request.query, isStrict: true)
        let channel = await recording.channel
        let kept = recording.kept()
        let all = channel.hasEnded ? kept.last?.upperBound : await recording.edge
        guard let first = kept.first, let all else { throw Problem.notFound("nothing of \(name) is kept yet") }
        let from = try request.queryItem("from").map { try live.moment($0, "from") } ?? first.lowerBound
        let to = try request.queryItem("to").map { try live.moment($0, "to") } ?? all
        guard to > from else { throw Problem.badRequest("the end isn't after the beginning") }
        let window = try await live.translating { try await recording.finished(from: from, to: to, isStrict: true) }
        return BundleRecord(
            id: name.rawValue, title: name.rawValue, url: channel.url, withCredentials: channel.identity != nil,
            selection: channel.selection, state: nil, holeCount: window.gaps, hasCover: false,
            libraryURL: try liveURL(name), contents: window.contents)
    }

    /// By its name in URLs, its URL, or its title, if no other has that.
    private func asset(named name: String) async throws -> Asset {
        if let id = AssetID(rawValue: name), let asset = try await shelf.asset(id) { return asset }
        let assets = try await shelf.assets()
        if let url = try? ResourceURL(name), let info = assets.first(where: { $0.url == url.description }) {
            return info
        }
        let titled = assets.filter { $0.title == name }
        if titled.count > 1 {
            let ids = titled.map(\.id.rawValue).joined(separator: ", ")
            throw Problem.badRequest("\(titled.count) assets are called “\(name)”; name one of \(ids)")
        }
        guard let asset = titled.first else {
            throw Problem.notFound("there is no asset “\(name)”; `get` makes one")
        }
        return asset
    }

    private func record(of asset: Asset) async throws -> BundleRecord {
        // What is known of its download comes to the shelf a moment later.
        let asset = await downloads?.status(of: asset.id)?.asset ?? asset
        return BundleRecord(
            id: asset.id.rawValue, title: asset.title, url: asset.url, withCredentials: asset.identity != nil,
            selection: asset.download?.selection, state: asset.download.map { DownloadRecord.State($0.state) },
            holeCount: asset.holeCount, hasCover: asset.cover != nil,
            libraryURL: try libraryURL(asset.id), contents: try await book.index(of: asset.id)?.contents)
    }
}
