import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// `/api/v1/tokens`: `GET` and `POST` for the list; `GET` and `DELETE` for a token by its ID. `POST /api/v1/key`
/// replaces the API key. No response contains the key.
struct TokensRoute: Route {
    static let path = "/api/v1/tokens"
    private static let keyPath = "/api/v1/key"
    private static let maximumLabelLength = 200

    let paths = [TokensRoute.path, TokensRoute.path + "/", TokensRoute.keyPath]
    let access = RouteAccess.key
    let store: CacheStore
    let assetStore: AssetStore
    let profiles: HeaderProfileStore
    let control: AccessControl
    /// The event feeds, which end when the key that opened them is replaced.
    let feeds: EventFeeds
    let urls: ServerURLs

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        if request.path == Self.keyPath {
            guard request.method == .post else { throw request.methodNotAllowed(.post) }
            try store.requireWritableFolder()
            _ = try await control.roll()
            feeds.endAll()
            return RouteResponse(status: 204)
        }
        let parts = request.path.dropFirst(Self.path.utf8.count).split(separator: "/")
        switch (parts.count, request.method) {
        case (0, .get), (0, .head):
            let page = try Page(control.tokens().map { TokenRecord($0) }, of: try PageRequest(request)) {
                SortKey([AccessControl.standingID, AccessControl.libraryID].firstIndex(of: $0.id) ?? 2, $0.id)
            }
            return try .json(TokenList(tokens: page.items, next: page.next), of: request)
        case (0, .post): return try await issue(try request.decode(TokenAddition.self))
        case (1, .get), (1, .head):
            guard let token = control.tokens().first(where: { $0.id == parts[0] }) else { throw Self.unknown(parts[0]) }
            var record = TokenRecord(token)
            switch token.id {
            case AccessControl.standingID: record.token = control.playbackToken
            case AccessControl.libraryID: record.token = control.libraryToken
            default: break
            }
            return try .json(record)
        case (1, .delete):
            guard try await control.revoke(String(parts[0])) else { throw Self.unknown(parts[0]) }
            return RouteResponse(status: 204)
        case (0, _): throw request.methodNotAllowed(.get, .post)
        case (1, _): throw request.methodNotAllowed(.get, .delete)
        default: throw Problem.unknownPath
        }
    }

    private static func unknown(_ id: Substring) -> Problem { .notFound("there is no token \(id)") }

    private func issue(_ addition: TokenAddition) async throws -> RouteResponse {
        if let label = addition.label, !(1...Self.maximumLabelLength).contains(label.count) {
            throw Problem.badRequest("label must have 1 to \(Self.maximumLabelLength) characters")
        }
        if let expires = addition.expires, expires <= store.now {
            throw Problem.badRequest("expires must be in the future")
        }
        var asset: Asset?
        var target: ResourceURL?
        var options = PlayOptions()
        switch (addition.scope, addition.asset, addition.url) {
        case (.asset, let id?, nil):
            let found = try await assetStore.requireAsset(try AssetID(pathPart: id[...]))
            asset = found
            // An imported asset may lack a valid URL.
            target = try? ResourceURL(found.url)
            options.identity = found.identity
        case (.asset, _, _): throw Problem.badRequest("the scope asset requires the ID of an asset and accepts no URL")
        case (.playback, nil, let url):
            target = try url.map { try ResourceURL($0) }
            if let target { options.identity = try await profiles.identity(for: target, in: store) }
        case (.playback, _, _): throw Problem.badRequest("the scope playback accepts no asset")
        case (.library, _, _):
            throw Problem.badRequest(
                "the token with the scope library can't be issued; `mediacache serve --lan` shows it")
        }
        let (issued, token) = try await control.issue(
            asset: asset?.id, label: addition.label, expires: addition.expires)
        if let asset, try await assetStore.asset(asset.id) == nil {
            // The asset's tokens may have been revoked before this one was issued.
            _ = try await control.revoke(issued.id)
            throw Problem.notFound("the asset \(asset.id) has been removed")
        }
        var record = TokenRecord(issued)
        record.token = token
        if let base = urls.base {
            record.libraryURL = asset.map { "\(base)\(ReaderPath.prefix)\(token)\(LibraryRoute.prefix)\($0.id)/" }
            record.playURL = target.map { url in
                var play = PlayTarget(url, token: token, options: options)
                if asset != nil { play.options.signature = control.signature(of: play) }
                return base + play.path
            }
        }
        var response = try RouteResponse.json(record, status: 201)
        response.headerFields[.cacheControl] = "no-store"
        return response
    }
}

extension TokenRecord {
    init(_ token: AccessToken) {
        self.init(
            id: token.id, scope: token.scope, asset: token.asset?.rawValue,
            label: token.label, created: token.created, expires: token.expires, lastUsed: token.lastUsed)
    }
}
