import MediaCache
import MediaLibrary

/// What stands before plain references of one playlist to make play paths of them. Put together once for each origin:
/// a long playlist names the same one a hundred thousand times.
struct PlayPrefixes {
    private let playPath: (ResourceURL) -> String
    private let root: String
    private let folder: String
    /// The last origin that was named, `http://host`, and what it becomes.
    private var last: (origin: String, prefix: String) = ("", "")

    /// - Parameters:
    ///   - base: what the references resolve against.
    ///   - playPath: gives the play path of a URL.
    init(base: ResourceURL, playPath: @escaping (ResourceURL) -> String) {
        self.playPath = playPath
        root = String(playPath(base).dropLast(base.target.count))
        folder = root + base.path[...(base.path.lastIndex(of: "/") ?? base.path.startIndex)]
    }

    /// The play path of a reference of this shape; nil if it has to be resolved by the rules.
    mutating func playPath(of uri: String, _ shape: ReferenceShape) -> String? {
        switch shape {
        case .rootRelative: return root + uri
        case .relativePath: return folder + uri
        case .absolute(let end):
            let path = uri.utf8.index(uri.startIndex, offsetBy: end)
            if last.origin.utf8.count != end || !uri.hasPrefix(last.origin) {
                let origin = String(uri[..<path])
                guard let url = try? ResourceURL(origin) else { return nil }
                // Less the path `/` of an origin.
                last = (origin, String(playPath(url).dropLast()))
            }
            return last.prefix + String(uri[path...])
        case .other: return nil
        }
    }
}
