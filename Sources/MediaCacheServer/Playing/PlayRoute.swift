import MediaCache
import MediaCacheAPI

/// `/play/<token>/<scheme>/<authority>/<path>`: any resource of an origin, through the cache. A playback token in the
/// path is sufficient to open it. An asset token opens only signed URLs.
struct PlayRoute: MediaRoute {
    let paths = [PlayPath.prefix]
    let access = RouteAccess.open
    let isAdmittedByPath = true
    let source: any ByteReaderSource
    let profiles: HeaderProfileStore
    let control: AccessControl

    func opener(for request: MediaRequest) throws -> any ReaderOpener {
        var (target, digest) = try request.playTarget()
        guard control.admits(target, digest: digest) else { throw Problem.wrongToken }
        if let credentials = target.credentials {
            target.options.identity = profiles.remember(credentials, for: target.url, from: .untrusted)
        }
        return PlayOpener(target: target, source: source, settings: profiles.settings(for: target))
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
