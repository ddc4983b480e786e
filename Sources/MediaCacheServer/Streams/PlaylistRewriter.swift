import HLS
import MediaCache
import MediaCacheAPI
import MediaLibrary

/// Makes the references of a playlist come back through the server.
///
/// Relative paths do by themselves, since a play URL's path mirrors the origin's; they are left, unless that would
/// lie: the playlist came from another URL than the one asked for, they climb past the origin's root, or their scope is
/// narrower than the play URL's. Everything else stays byte for byte.
struct PlaylistRewriter {
    let playlist: LoadedPlaylist
    /// The play URL that it was asked for by.
    let target: PlayTarget
    /// Where a reverse proxy shows this server.
    let publicPath: String
    /// Is told whom references name.
    let profiles: HeaderProfileBook
    /// Has what a play URL can't.
    let variableBook: VariableBook
    /// Returns the signature of a play URL. The references of a signed one are signed too, since its token opens no others.
    let signature: @Sendable (PlayTarget) -> String

    /// By this much a short playlist may grow by the variables that its references name.
    private static let leastRoom = 256 * 1024

    /// The playlist as it is sent.
    ///
    /// - Parameter variables: what it may import (RFC 8216bis §4.4.2.3).
    /// - Throws: `CacheError` with `badResponse` if it would be too long.
    func rewritten(importing variables: [String: String] = [:]) throws(CacheError) -> [UInt8] {
        let base = playlist.base
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        let exports = exportedOptions(context)
        // What this playlist may import, its alternatives may, and players know those by their URLs.
        var report = PlayOptions(variables: target.options.variables)
        report.variableToken = target.options.variableToken
        let depth = Self.depth(of: base)
        var prefixes = PlayPrefixes(base: base) { playPath(of: $0) }
        var length = RewrittenLength(of: playlist.bytes)
        let bytes = try namingParameters(context, &length)
        func replacement(_ reference: Reference) -> String? {
            // A media playlist may import what is defined here, so its URL says it.
            if exports != PlayOptions(), Self.isPlaylist(reference.role) {
                return playPath(of: reference, exports)
            }
            if reference.role == .renditionReport, report != PlayOptions() {
                return playPath(of: reference, report)
            }
            // What it names has to come back too, and only this attribute tells what it is.
            if let kind = StreamDocument.Kind(reference.role) {
                return playPath(of: reference, PlayOptions(document: kind))
            }
            if PlayTarget.endsInOption(reference.uri) { return playPath(of: reference, PlayOptions()) }
            if isSigned { return playPath(of: reference, PlayOptions()) }
            let shape = ReferenceShape(reference.uri)
            // A player that splits EXT-X-DEFINE in another way would put in another value.
            if resolvesByItself(reference, shape, depth: depth) { return reference.hasVariables ? reference.uri : nil }
            return prefixes.playPath(of: reference.uri, shape) ?? playPath(of: reference, PlayOptions())
        }
        return try PlaylistReferences(context: context).rewritten(bytes) { (reference) throws(CacheError) -> String? in
            guard let text = replacement(reference) else { return nil }
            return try length.adding(text)
        }
    }

    /// A JSON document that a playlist named, as it is sent.
    ///
    /// - Throws: `CacheError` with `badResponse` for one that can't be read, or would be too long.
    func rewritten(as kind: StreamDocument.Kind) throws(CacheError) -> [UInt8] {
        var length = RewrittenLength(of: playlist.bytes)
        return try StreamDocument(kind: kind, bytes: playlist.bytes).rewritten { (uri) throws(CacheError) -> String? in
            try length.adding(playPath(of: uri, PlayOptions(document: kind == .steering ? kind : nil)) ?? unanswerable)
        }
    }

    /// The play path of any reference, by the rules.
    ///
    /// Nil for a key that isn't fetched over HTTP: it's in the playlist (`data:`), or a DRM system provides it. Any other
    /// reference that names no HTTP resource becomes a path that the server refuses: a playlist in a `data:` URL could
    /// name every host, and a player may have protocols of its own.
    private func playPath(of reference: Reference, _ options: PlayOptions) -> String? {
        if let path = playPath(of: reference.uri, options) { return path }
        let isKey = reference.role == .key || reference.role == .sessionKey
        let scheme = BrowserReference(reference.uri, baseScheme: playlist.base.scheme).scheme
        return isKey && scheme.map(Self.keySchemes.contains) == true ? nil : unanswerable
    }

    /// The play path of a reference to an HTTP resource; nil for others.
    private func playPath(of uri: String, _ options: PlayOptions) -> String? {
        (try? playlist.base.resolve(uri)).map { playPath(of: $0, options) }
    }

    /// A play path that names no host. The server answers it with an error.
    private var unanswerable: String { "\(publicPath)\(PlayPath.prefix)\(target.token)/http//" }

    /// Schemes of keys that no host is asked for (RFC 8216bis §4.4.4.4).
    private static let keySchemes: Set<String> = ["data", "skd", "urn"]

    /// The scope of the references.
    private var scope: AddressScope {
        AddressScope(
            ofReferencesAt: playlist.base, from: playlist.head.peer, requestedWith: target.options.scope)
    }

    /// The play path of what a reference names, with the scope of the references.
    private func playPath(of url: ResourceURL, _ options: PlayOptions = PlayOptions()) -> String {
        var options = options
        options.isPublicOnly = scope == .publicOnly
        options.identity = url.credentials.map { profiles.remember($0, for: url, from: .untrusted) }
        guard isSigned else { return publicPath + target.naming(url, options: options).path }
        options.isAnonymous = target.options.isAnonymous || !url.hasSameOrigin(as: target.url)
        if options.isAnonymous { options.identity = nil }
        var named = target.naming(url, options: options)
        named.options.signature = signature(named)
        return publicPath + named.path
    }

    /// Whether the references have to be signed.
    private var isSigned: Bool { target.options.signature != nil }

    /// Whether a player that resolves the reference as it is written comes back here, to the right resource.
    private func resolvesByItself(_ reference: Reference, _ shape: ReferenceShape, depth: Int) -> Bool {
        guard playlist.head.location == nil, scope == target.options.scope, !reference.uri.contains("{$") else {
            return false
        }
        switch shape {
        case .absolute, .rootRelative: return false
        case .relativePath: return true
        case .other: break
        }
        // Where browsers read something else than is written, only a path that is resolved already is one for all.
        guard BrowserReference(reference.uri, baseScheme: playlist.base.scheme).text == reference.uri else {
            return false
        }
        return reference.form == .relativePath && Self.climb(of: reference.uri) <= depth
    }

    /// The playlist with the parameters of a URL that no player sees, the one after a redirect, as variables that have
    /// their values (RFC 8216bis §4.4.2.3).
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

    /// What is to be said of the playlist's own playlists, if it's a multivariant one: the variables that they may import.
    private func exportedOptions(_ context: PlaylistContext) -> PlayOptions {
        guard playlist.kind == .multivariant else { return PlayOptions() }
        let parsed = try? PlaylistParser(context: context).parse(playlist.bytes)
        let lines = playlist.bytes.count { $0 == UInt8(ascii: "\n") } + 1
        return variableBook.options(
            for: parsed?.variables ?? [:], room: max(playlist.bytes.count, Self.leastRoom) / lines)
    }

    private static func isPlaylist(_ role: ReferenceRole) -> Bool {
        switch role {
        case .variantStream, .rendition, .iFramePlaylist: true
        default: false
        }
    }

    /// How many folders the playlist lies below the root.
    private static func depth(of url: ResourceURL) -> Int {
        url.target.prefix { $0 != "?" }.utf8.count { $0 == UInt8(ascii: "/") } - 1
    }

    /// The most folders that a relative path is above where it starts, anywhere on its way.
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

/// The bound of a rewritten document's length. A reference of one byte becomes a path that is as long as the URL that
/// it is resolved against, so that the length of the document itself bounds nothing.
struct RewrittenLength {
    private let bound: Int
    private var room: Int

    /// - Parameter bytes: the document before it is rewritten.
    init(of bytes: [UInt8]) {
        bound = max(16 << 20, 6 * bytes.count)
        room = bound - bytes.count
    }

    /// Counts a text that is put into the document, and returns it.
    ///
    /// - Throws: `CacheError` with `badResponse` if the document passes the bound.
    mutating func adding(_ text: String) throws(CacheError) -> String {
        room -= text.utf8.count
        guard room >= 0 else {
            throw CacheError(.badResponse, "the rewritten playlist would be longer than \(bound) bytes")
        }
        return text
    }
}
