import MediaCache

/// A hasher (FNV-1a) for the URLs that a playlist's references resolve to. Plain references are hashed without
/// resolving them.
struct ReferenceHash {
    private let base: ResourceURL
    /// The hashes of `scheme://authority` and of the playlist's folder, to which references are appended.
    private let origin: UInt64
    private let folder: UInt64

    init(base: ResourceURL) {
        self.base = base
        let path = base.target.prefix { $0 != "?" }
        let folderEnd = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.endIndex
        origin = FNV1a.extend(FNV1a.initial, with: base.origin)
        folder = FNV1a.extend(origin, with: path[..<folderEnd])
    }

    /// Returns the hash of the URL that `uri` resolves to; nil if it isn't an HTTP URL.
    func hash(of uri: String) -> UInt64? {
        switch ReferenceShape(uri) {
        case .absolute: FNV1a.extend(FNV1a.initial, with: uri)
        case .rootRelative: FNV1a.extend(origin, with: uri)
        case .relativePath: FNV1a.extend(folder, with: uri)
        case .other: (try? base.resolve(uri)).map { Self.hash(of: $0) }
        }
    }

    static func hash(of url: ResourceURL) -> UInt64 { FNV1a.extend(FNV1a.initial, with: url.description) }
}

/// The 64-bit hash FNV-1a. It's stable across processes, and can be computed incrementally.
package enum FNV1a {
    package static let initial: UInt64 = 0xCBF2_9CE4_8422_2325

    package static func extend(_ state: UInt64, with bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = state
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return state
    }

    static func extend(_ state: UInt64, with text: some StringProtocol) -> UInt64 {
        var text = String(text)
        return text.withUTF8 { extend(state, with: UnsafeRawBufferPointer($0)) }
    }
}
