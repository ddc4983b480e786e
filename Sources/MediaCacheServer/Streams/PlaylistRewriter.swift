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

    /// The playlist as it is sent.
    func rewritten() -> [UInt8] {
        let base = playlist.base
        let context = PlaylistContext(
            playlistURL: base.description, importableVariables: target.options.variables)
        let variables = exportedVariables(context)
        let depth = Self.depth(of: base)
        var prefixes = PlayPrefixes(playlist: playlist, target: target, publicPath: publicPath)
        return PlaylistReferences(context: context).rewritten(playlist.bytes) { reference in
            // A media playlist may import what is defined here, so its URL says it.
            if !variables.isEmpty, Self.isPlaylist(reference.role) {
                return playPath(of: reference.uri, PlayOptions(variables: variables))
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
        guard let url = try? playlist.base.resolve(uri) else { return nil }
        var options = options
        options.isPublicOnly = Self.options(for: url.authority, of: playlist, target).isPublicOnly
        return publicPath + target.path(for: url, options: options)
    }

    /// What is to be said of a reference to `authority`: what a public origin names elsewhere must be public too.
    static func options(for authority: String, of playlist: LoadedPlaylist, _ target: PlayTarget) -> PlayOptions {
        let leaves = playlist.head.peer == .global && authority != playlist.base.authority
        return PlayOptions(isPublicOnly: target.options.isPublicOnly || leaves)
    }

    /// Whether a player that resolves the reference as it is written comes back here, to the right resource.
    private func resolvesByItself(_ reference: Reference, _ shape: ReferenceShape, depth: Int) -> Bool {
        guard playlist.head.location == nil else { return false }
        switch shape {
        case .absolute, .rootRelative: return false
        case .relativePath: return true
        case .other: break
        }
        switch URLReference(reference.uri).form {
        case .absolute, .networkPath, .rootRelative: return false
        default: return Self.climb(of: reference.uri) <= depth
        }
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
