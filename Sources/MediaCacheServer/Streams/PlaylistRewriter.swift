import HLS
import MediaCache
import MediaLibrary

/// Makes the references of a playlist come back through the server.
///
/// Relative paths do by themselves, since a play URL's path mirrors the origin's; they are left, unless that would
/// lie: the playlist came from another URL than the one asked for, or they climb past the origin's root. Everything
/// else stays byte for byte.
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

    /// By this much a short playlist may grow by the variables that its references name.
    private static let leastRoom = 256 * 1024

    /// The playlist as it is sent.
    ///
    /// - Parameter variables: what it may import (RFC 8216bis §4.4.2.3).
    func rewritten(importing variables: [String: String] = [:]) -> [UInt8] {
        let base = playlist.base
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        let exports = exportedOptions(context)
        // What this playlist may import, its alternatives may, and players know those by their URLs.
        var report = PlayOptions(variables: target.options.variables)
        report.variableToken = target.options.variableToken
        let depth = Self.depth(of: base)
        var prefixes = PlayPrefixes(base: base) { playPath(of: $0) }
        return PlaylistReferences(context: context).rewritten(namingParameters(context)) { reference in
            // A media playlist may import what is defined here, so its URL says it.
            if exports != PlayOptions(), Self.isPlaylist(reference.role) {
                return playPath(of: reference.uri, exports)
            }
            if reference.role == .renditionReport, report != PlayOptions() {
                return playPath(of: reference.uri, report)
            }
            // What it names has to come back too, and only this attribute tells what it is.
            if let kind = StreamDocument.Kind(reference.role) {
                return playPath(of: reference.uri, PlayOptions(document: kind))
            }
            if PlayTarget.endsInOption(reference.uri) { return playPath(of: reference.uri, PlayOptions()) }
            let shape = ReferenceShape(reference.uri)
            if resolvesByItself(reference, shape, depth: depth) { return nil }
            return prefixes.playPath(of: reference.uri, shape) ?? playPath(of: reference.uri, PlayOptions())
        }
    }

    /// A JSON document that a playlist named, as it is sent.
    func rewritten(as kind: StreamDocument.Kind) -> [UInt8] {
        StreamDocument(kind: kind, bytes: playlist.bytes).rewritten { uri in
            playPath(of: uri, PlayOptions(document: kind == .steering ? kind : nil))
        }
    }

    /// The play path of any reference, by the rules; nil for what isn't fetched over HTTP (`data:`, `skd:`): it isn't
    /// ours.
    private func playPath(of uri: String, _ options: PlayOptions) -> String? {
        if let url = try? playlist.base.resolve(uri) { return playPath(of: url, options) }
        // What is made of a host that can't be one is the player's affair; that nobody else is asked, ours.
        let namesHost = BrowserReference(uri, baseScheme: playlist.base.scheme).namesHost
        return namesHost ? "\(publicPath)\(PlayTarget.prefix)\(target.key)/http//" : nil
    }

    /// The play path of what a reference names. What a public origin names elsewhere must be public too.
    private func playPath(of url: ResourceURL, _ options: PlayOptions = PlayOptions()) -> String {
        var options = options
        let leaves = playlist.head.peer == .global && url.authority != playlist.base.authority
        options.isPublicOnly = target.options.isPublicOnly || leaves
        options.identity = url.credentials.map { profiles.remember($0, for: url, from: .playlist) }
        return publicPath + target.path(for: url, options: options)
    }

    /// Whether a player that resolves the reference as it is written comes back here, to the right resource.
    private func resolvesByItself(_ reference: Reference, _ shape: ReferenceShape, depth: Int) -> Bool {
        guard playlist.head.location == nil else { return false }
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
    private func namingParameters(_ context: PlaylistContext) -> [UInt8] {
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
                name: tag, ["NAME": .quoted(name), "VALUE": .quoted(value)])
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
