import MediaCache
import MediaCacheAPI

/// `/play/<token>/<scheme>/<authority>/<path>`: any resource of an origin, through the cache. A playback token in the
/// path is sufficient to open it. An asset token opens only signed URLs. The option `fragments=<file>` requests a
/// ``FragmentFile`` of a playlist, because the path is the origin's.
struct PlayRoute: MediaRoute {
    let paths = [PlayPath.prefix]
    let access = RouteAccess.open
    let isAdmittedByPath = true
    let source: any ByteReaderSource
    let profiles: HeaderProfileStore
    let control: AccessControl
    let fragments: FragmentService
    /// The public path, which precedes the play URLs in rewritten playlists.
    var publicPath = ""

    func opener(for request: MediaRequest) throws -> any ReaderOpener {
        let (requested, digest) = try request.playTarget()
        let target = try admitted(requested, digest: digest)
        guard let text = target.options.fragments else { return opener(for: target) }
        let parts = text.split(separator: "&", maxSplits: 1)
        guard let file = parts.first.flatMap({ FragmentFile($0) }) else {
            throw Problem.notFound(
                "there is no file “\(text)” below a playlist; request media.json, whose URLs lead to the others")
        }
        return FragmentOpener(
            stream: fragmentStream(target), file: file, query: QueryItems(parts.count > 1 ? parts[1] : ""),
            service: fragments)
    }

    /// Returns a target with the user that its credentials identify.
    ///
    /// - Throws: ``Problem`` with 403 if its token doesn't open it.
    private func admitted(_ target: PlayTarget, digest: TokenDigest? = nil) throws -> PlayTarget {
        guard control.admits(target, digest: digest) else { throw Problem.wrongToken }
        guard let credentials = target.credentials else { return target }
        var target = target
        target.options.identity = profiles.remember(credentials, for: target.url, from: .untrusted)
        target.credentials = nil
        return target
    }

    private func opener(for target: PlayTarget) -> PlayOpener {
        PlayOpener(target: target, source: source, settings: profiles.settings(for: target))
    }

    private func fragmentStream(_ target: PlayTarget) -> FragmentStream {
        var target = target
        target.options.fragments = nil
        return FragmentStream(
            playlist: target.path, name: "\(target.url)", isRemote: true, variables: target.options.variables,
            open: { opener(for: try admitted(try PlayTarget(local($0)))) },
            address: { playlist, file, query in
                var target = try PlayTarget(local(playlist))
                target.options.fragments = file + (query.isEmpty ? "" : "&\(query)")
                return publicPath + target.path
            })
    }

    /// Returns a reference in a rewritten playlist without the public path.
    private func local(_ target: String) -> String {
        target.hasPrefix(publicPath + PlayPath.prefix) ? String(target.dropFirst(publicPath.count)) : target
    }
}

/// The opener of a play URL's resource.
struct PlayOpener: ReaderOpener {
    let target: PlayTarget
    let source: any ByteReaderSource
    /// The settings of the read; nil for the store's own.
    let settings: TransferSettings?

    var name: String { "\(target.url)" }

    func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? {
        try source.readerIfOpen(request(range), for: target)
    }

    func reader(_ range: RequestedRange) async throws -> any ByteReader {
        try await source.reader(request(range), for: target)
    }

    private func request(_ range: RequestedRange) -> ReadRequest {
        ReadRequest(url: target.url, range: range, settings: settings)
    }
}

/// The most recent play target of a connection, with the digest of its token. Players request the same target
/// repeatedly.
final class PlayTargetCache {
    private var last: (text: String, target: PlayTarget, digest: TokenDigest)?

    /// Returns the play target of a request target, and the digest of its token.
    ///
    /// - Throws: `CacheError` with `invalidURL`.
    func target(_ text: String) throws -> (target: PlayTarget, digest: TokenDigest) {
        // Compares bytes, because strings with different bytes can be equal.
        if let last, last.text.hasSameBytes(as: text) { return (last.target, last.digest) }
        let target = try PlayTarget(text)
        let digest = TokenDigest(of: target.token)
        last = (text, target, digest)
        return (target, digest)
    }
}
