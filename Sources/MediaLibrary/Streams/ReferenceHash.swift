import MediaCache

/// Hashes what references of one playlist resolve to (FNV-1a), without putting together those that are plain.
struct ReferenceHash {
    private let base: ResourceURL
    /// The state after `scheme://authority`, and after the playlist's folder.
    private let origin: UInt64
    private let folder: UInt64

    init(base: ResourceURL) {
        self.base = base
        let path = base.target.prefix { $0 != "?" }
        let folderEnd = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.endIndex
        origin = FNV1a.extend(FNV1a.initial, with: base.origin)
        folder = FNV1a.extend(origin, with: path[..<folderEnd])
    }

    /// The hash of the URL that `uri` resolves to; nil if that isn't one over HTTP.
    func hash(of uri: String) -> UInt64? {
        switch ReferenceShape(uri) {
        case .absolute: FNV1a.extend(FNV1a.initial, with: uri)
        case .rootRelative: FNV1a.extend(origin, with: uri)
        case .relativePath: FNV1a.extend(folder, with: uri)
        case .other:
            (try? base.resolve(uri)).map { Self.hash(of: $0) }
        }
    }

    static func hash(of url: ResourceURL) -> UInt64 { FNV1a.extend(FNV1a.initial, with: url.description) }
}
