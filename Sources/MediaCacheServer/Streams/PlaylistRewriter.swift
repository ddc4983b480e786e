import HLS
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// A rewriter of a playlist's references, so that they lead through the server.
///
/// Relative paths resolve through the server without rewriting, since a play URL's path mirrors the origin's. They are
/// rewritten only if they would resolve to another resource or scope (after a redirect, if they climb past the origin's
/// root, or if their scope is narrower than that of the play URL), or if their play URL needs a signature or options.
/// After a redirect, variables from query parameters become literal. The rest of the playlist is unchanged.
struct PlaylistRewriter {
    let playlist: LoadedPlaylist
    let target: PlayTarget
    let publicPath: String
    /// The store for credentials that references contain.
    let profiles: HeaderProfileStore
    let variableCache: PlaylistVariableCache
    /// Returns the signature of a play URL. References in a signed playlist are signed too, since its token opens only
    /// signed URLs.
    let signature: @Sendable (PlayTarget) -> String

    /// The number of bytes by which the variables in references may lengthen a short playlist.
    private static let minimumSpace = 256 * 1024

    /// Returns the rewritten playlist.
    ///
    /// - Parameter variables: The variables that it may import (RFC 8216bis §4.4.2.3).
    /// - Throws: `CacheError` with `badResponse` if it exceeds the length limit.
    func rewritten(importing variables: [String: String] = [:]) throws(CacheError) -> [UInt8] {
        let base = playlist.base
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        let exports = exportedOptions(context)
        // Rendition reports refer to alternatives of this playlist, which may import the same variables.
        var report = PlayOptions(variables: target.options.variables)
        report.variableToken = target.options.variableToken
        let depth = Self.depth(of: base)
        var prefixes = PlayPrefixes(base: base) { playPath(of: $0) }
        var length = RewrittenLength(of: playlist.bytes)
        let bytes = try namingParameters(context, &length)
        func replacement(_ reference: Reference) -> String? {
            // A media playlist may import variables of this playlist, so its URL contains them.
            if exports != PlayOptions(), [.variantStream, .rendition, .iFramePlaylist].contains(reference.role) {
                return playPath(of: reference, exports)
            }
            if reference.role == .renditionReport, report != PlayOptions() { return playPath(of: reference, report) }
            // The references in the target need rewriting, and only this reference determines the target's kind.
            if let kind = StreamDocument.Kind(reference.role) {
                return playPath(of: reference, PlayOptions(document: kind))
            }
            if PlayTarget.endsInOption(reference.uri) { return playPath(of: reference, PlayOptions()) }
            if isSigned { return playPath(of: reference, PlayOptions()) }
            let shape = ReferenceShape(reference.uri)
            // A reference with variables is replaced by its value: a player may parse EXT-X-DEFINE differently.
            if resolvesWithoutRewriting(reference, shape, depth: depth) {
                return reference.hasVariables ? reference.uri : nil
            }
            return prefixes.playPath(of: reference.uri, shape) ?? playPath(of: reference, PlayOptions())
        }
        return try PlaylistReferences(context: context).rewritten(bytes) { (reference) throws(CacheError) -> String? in
            guard let text = replacement(reference) else { return nil }
            return try length.adding(text)
        }
    }

    /// Returns a rewritten JSON document that a playlist references.
    ///
    /// - Throws: `CacheError` with `badResponse` if the document is malformed or the result exceeds the length limit.
    func rewritten(as kind: StreamDocument.Kind) throws(CacheError) -> [UInt8] {
        var length = RewrittenLength(of: playlist.bytes)
        return try StreamDocument(kind: kind, bytes: playlist.bytes).rewritten { (uri) throws(CacheError) -> String? in
            try length.adding(playPath(of: uri, PlayOptions(document: kind == .steering ? kind : nil)) ?? refusedPath)
        }
    }

    /// Returns the play path of a reference.
    ///
    /// Returns nil for a key that isn't fetched over HTTP, because it is part of the playlist (`data:`) or provided by
    /// a DRM system. Any other reference that isn't HTTP becomes a path that the server refuses: a playlist in a
    /// `data:` URL could reference any host, and players support other protocols.
    private func playPath(of reference: Reference, _ options: PlayOptions) -> String? {
        if let path = playPath(of: reference.uri, options) { return path }
        let isKey = reference.role == .key || reference.role == .sessionKey
        let scheme = BrowserReference(reference.uri, baseScheme: playlist.base.scheme).scheme
        return isKey && scheme.map(Self.keySchemes.contains) == true ? nil : refusedPath
    }

    /// Returns the play path of a reference to an HTTP resource; nil for other references.
    private func playPath(of uri: String, _ options: PlayOptions) -> String? {
        (try? playlist.base.resolve(uri)).map { playPath(of: $0, options) }
    }

    /// A play path without a host, which the server refuses.
    private var refusedPath: String { "\(publicPath)\(PlayPath.prefix)\(target.token)/http//" }

    /// The schemes of key URIs (RFC 8216bis §4.4.4.4) that players don't request over HTTP.
    private static let keySchemes: Set<String> = ["data", "skd", "urn"]

    private var scope: AddressScope {
        AddressScope(ofReferencesAt: playlist.base, from: playlist.head.peer, requestedWith: target.options.scope)
    }

    /// Returns the play path of a URL, with the address scope of the references.
    private func playPath(of url: ResourceURL, _ options: PlayOptions = PlayOptions()) -> String {
        var options = options
        options.isPublicOnly = scope == .publicOnly
        options.identity = url.credentials.map { profiles.remember($0, for: url, from: .untrusted) }
        guard isSigned else { return publicPath + target.target(for: url, options: options).path }
        options.isAnonymous = target.options.isAnonymous || !url.hasSameOrigin(as: target.url)
        if options.isAnonymous { options.identity = nil }
        var named = target.target(for: url, options: options)
        named.options.signature = signature(named)
        return publicPath + named.path
    }

    private var isSigned: Bool { target.options.signature != nil }

    /// Returns whether a player resolves the unchanged reference to the right play URL.
    private func resolvesWithoutRewriting(_ reference: Reference, _ shape: ReferenceShape, depth: Int) -> Bool {
        guard playlist.head.location == nil, scope == target.options.scope, !reference.uri.contains("{$") else {
            return false
        }
        switch shape {
        case .absolute, .rootRelative: return false
        case .relativePath: return true
        case .other: break
        }
        // Browsers normalize some references. Those are rewritten, so that all players resolve them alike.
        guard BrowserReference(reference.uri, baseScheme: playlist.base.scheme).text == reference.uri else {
            return false
        }
        return reference.form == .relativePath && Self.climb(of: reference.uri) <= depth
    }

    /// Returns the playlist with its URL's query parameters as literal variables (RFC 8216bis §4.4.2.3). After a
    /// redirect, players don't know that URL.
    private func namingParameters(
        _ context: PlaylistContext, _ length: inout RewrittenLength
    ) throws(CacheError) -> [UInt8] {
        guard playlist.head.location != nil, let parsed = try? PlaylistParser(context: context).parse(playlist.bytes)
        else { return playlist.bytes }
        let definitions = parsed.playlist.media?.variables ?? parsed.playlist.multivariant?.variables ?? []
        let hasParameters = definitions.contains { definition in
            if case .queryItem = definition.source { true } else { false }
        }
        guard hasParameters else { return playlist.bytes }
        var document = PlaylistDocument(playlist.bytes)
        for index in document.lines.indices {
            guard case .attributes(let tag, let list) = document.lines[index].content,
                tag == PlaylistTag.define.rawValue, let name = list.text("QUERYPARAM"),
                let value = parsed.variables[name]
            else { continue }
            document.lines[index].content = .attributes(
                name: tag, ["NAME": .quoted(name), "VALUE": .quoted(try length.adding(value))])
        }
        return document.bytes
    }

    /// Returns the options for the media playlists of a multivariant playlist: the variables that they may import.
    private func exportedOptions(_ context: PlaylistContext) -> PlayOptions {
        guard playlist.kind == .multivariant else { return PlayOptions() }
        let parsed = try? PlaylistParser(context: context).parse(playlist.bytes)
        let lines = playlist.bytes.count { $0 == UInt8(ascii: "\n") } + 1
        return variableCache.options(
            for: parsed?.variables ?? [:], space: max(playlist.bytes.count, Self.minimumSpace) / lines)
    }

    /// Returns the number of folders between the root and the playlist.
    private static func depth(of url: ResourceURL) -> Int {
        url.target.prefix { $0 != "?" }.utf8.count { $0 == UInt8(ascii: "/") } - 1
    }

    /// Returns the maximum number of folders that a relative path climbs above its start.
    private static func climb(of path: String) -> Int {
        guard path.contains("..") else { return 0 }
        var (level, highest) = (0, 0)
        for part in path.prefix(while: { $0 != "?" && $0 != "#" }).split(
            separator: "/", omittingEmptySubsequences: false)
        {
            if part == ".." {
                level += 1
                highest = max(highest, level)
            } else if part != "." {
                level -= 1
            }
        }
        return highest
    }
}

/// The length limit of a rewritten document. A reference of one byte becomes a path as long as its base URL, so the
/// length of the original document doesn't bound the length of the result.
struct RewrittenLength {
    private let bound: Int
    private var space: Int

    /// - Parameter bytes: The document before it is rewritten.
    init(of bytes: [UInt8]) {
        bound = max(16 << 20, 6 * bytes.count)
        space = bound - bytes.count
    }

    /// Counts text that is added to the document, and returns it.
    ///
    /// - Throws: `CacheError` with `badResponse` if the limit is exceeded.
    mutating func adding(_ text: String) throws(CacheError) -> String {
        space -= text.utf8.count
        guard space >= 0 else {
            throw CacheError(.badResponse, "the rewritten playlist exceeds the limit of \(bound) bytes")
        }
        return text
    }
}

/// The prefixes that turn simple references of a playlist into play paths. The prefix of an origin is reused for
/// consecutive references, since a long playlist may contain 100,000 of them.
private struct PlayPrefixes {
    private let playPath: (ResourceURL) -> String
    private let root: String
    private let folder: String
    /// The most recent origin, such as `http://host`, and its prefix.
    private var last: (origin: String, prefix: String) = ("", "")

    init(base: ResourceURL, playPath: @escaping (ResourceURL) -> String) {
        self.playPath = playPath
        root = String(playPath(base).dropLast(base.target.count))
        folder = root + base.path[...(base.path.lastIndex(of: "/") ?? base.path.startIndex)]
    }

    /// Returns the play path of a reference with this shape; nil if the reference must be fully resolved.
    mutating func playPath(of uri: String, _ shape: ReferenceShape) -> String? {
        switch shape {
        case .rootRelative: return root + uri
        case .relativePath: return folder + uri
        case .absolute(let end):
            let path = uri.utf8.index(uri.startIndex, offsetBy: end)
            if last.origin.utf8.count != end || !uri.hasPrefix(last.origin) {
                let origin = String(uri[..<path])
                guard let url = try? ResourceURL(origin) else { return nil }
                // Without the path `/` of the origin.
                last = (origin, String(playPath(url).dropLast()))
            }
            return last.prefix + String(uri[path...])
        case .other: return nil
        }
    }
}
