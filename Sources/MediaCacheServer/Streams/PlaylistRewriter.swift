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

    /// The playlist as it is sent.
    ///
    /// - Parameter variables: what it may import (RFC 8216bis §4.4.2.3).
    func rewritten(importing variables: [String: String] = [:]) -> [UInt8] {
        let base = playlist.base
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        let exports = variableBook.options(for: exportedVariables(context))
        let depth = Self.depth(of: base)
        var prefixes = PlayPrefixes(base: base) { playPath(of: $0) }
        return PlaylistReferences(context: context).rewritten(playlist.bytes) { reference in
            // A media playlist may import what is defined here, so its URL says it.
            if exports != PlayOptions(), Self.isPlaylist(reference.role) {
                return playPath(of: reference.uri, exports)
            }
            // What it names has to come back too, and only this attribute tells what it is.
            if let kind = StreamDocument.Kind(reference.role) {
                return playPath(of: reference.uri, PlayOptions(document: kind))
            }
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

    /// The variables that the playlist's own playlists may import: those of a multivariant one.
    private func exportedVariables(_ context: PlaylistContext) -> [String: String] {
        guard playlist.kind == .multivariant else { return [:] }
        let parsed = try? PlaylistParser(context: context).parse(playlist.bytes)
        return parsed?.variables ?? [:]
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
