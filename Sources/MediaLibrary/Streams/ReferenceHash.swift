import HLS
import MediaCache

/// Hashes what references of one playlist resolve to (FNV-1a), without putting together those that are plain.
struct ReferenceHash {
    private let base: ResourceURL
    /// The state after `scheme://authority`, and after the playlist's folder.
    private let origin: UInt64
    private let folder: UInt64

    init(base: ResourceURL) {
        self.base = base
        let path = base.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let folderEnd = path.lastIndex(of: UInt8(ascii: "/")).map { path.index(after: $0) } ?? path.endIndex
        origin = Self.extend(Self.initial, with: "\(base.scheme)://\(base.authority)".utf8)
        folder = Self.extend(origin, with: path[..<folderEnd])
    }

    /// The hash of the URL that `uri` resolves to; nil if that isn't one over HTTP.
    func hash(of uri: String) -> UInt64? {
        switch ReferenceShape(uri) {
        case .absolute: Self.extend(Self.initial, with: uri.utf8)
        case .rootRelative: Self.extend(origin, with: uri.utf8)
        case .relativePath: Self.extend(folder, with: uri.utf8)
        case .other:
            (try? ResourceURL(URLReference.resolve(uri, against: base.description))).map { Self.hash(of: $0) }
        }
    }

    static func hash(of url: ResourceURL) -> UInt64 { extend(initial, with: url.description.utf8) }

    private static let initial: UInt64 = 0xCBF2_9CE4_8422_2325

    private static func extend(_ state: UInt64, with bytes: some Sequence<UInt8>) -> UInt64 {
        var state = state
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return state
    }
}
