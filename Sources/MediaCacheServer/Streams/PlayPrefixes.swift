import MediaCache
import MediaLibrary

/// What stands before plain references of one playlist to make play paths of them. Put together once for each origin:
/// a long playlist names the same one a hundred thousand times.
struct PlayPrefixes {
    private let playlist: LoadedPlaylist
    private let target: PlayTarget
    private let publicPath: String
    private let root: String
    private let folder: String
    /// The last origin that was named, `http://host`, and what it becomes.
    private var last: (origin: String, prefix: String) = ("", "")

    init(playlist: LoadedPlaylist, target: PlayTarget, publicPath: String) {
        self.playlist = playlist
        self.target = target
        self.publicPath = publicPath
        let base = playlist.base
        let options = PlaylistRewriter.options(for: base.authority, of: playlist, target)
        let path = publicPath + target.path(for: base, options: options)
        root = String(path.dropLast(base.target.count))
        let folderPath = base.target.prefix { $0 != "?" }
        folder = root + folderPath[...(folderPath.lastIndex(of: "/") ?? folderPath.startIndex)]
    }

    /// The play path of a reference of this shape; nil if it has to be resolved by the rules.
    mutating func playPath(of uri: String, _ shape: ReferenceShape) -> String? {
        switch shape {
        case .rootRelative: return root + uri
        case .relativePath: return folder + uri
        case .absolute(let end):
            // The same origin or not has to be looked at where it's asked in somebody's name.
            guard target.options.identity == nil else { return nil }
            let path = uri.utf8.index(uri.startIndex, offsetBy: end)
            if last.origin != uri[..<path] { remember(String(uri[..<path])) }
            return last.prefix + uri[path...]
        case .other: return nil
        }
    }

    private mutating func remember(_ origin: String) {
        let parts = origin.split(separator: "/", maxSplits: 1)
        let (scheme, authority) = (parts[0].dropLast(), parts[1].dropFirst())
        let options = PlaylistRewriter.options(for: String(authority), of: playlist, target)
        last = (origin, "\(publicPath)\(PlayTarget.prefix)\(target.key)\(options)/\(scheme)/\(authority)")
    }
}
