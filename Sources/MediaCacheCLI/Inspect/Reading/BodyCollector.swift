import HLS

/// Puts a body together, and gives up early what is no playlist: nobody waits for a film to learn that it's one.
struct BodyCollector: Sendable {
    /// A playlist shows what it is in so many bytes.
    private static let frontLength = 64 << 10

    /// What has come.
    private(set) var bytes: [UInt8] = []
    private let limit: Int
    private var isJudged: Bool

    /// An empty body of at most `limit` bytes. Of one in a content coding, the front tells nothing.
    init(isCoded: Bool = false, limit: Int = PlaylistParser.Limits().playlistLength) {
        self.limit = limit
        isJudged = isCoded
    }

    /// Adds what came next.
    ///
    /// - Throws: `PlaylistError` with `notAPlaylist` or `playlistTooLong`.
    mutating func append(_ piece: UnsafeRawBufferPointer) throws(PlaylistError) {
        guard piece.count <= limit - bytes.count else { throw .playlistTooLong(limit: limit) }
        bytes.append(contentsOf: piece)
        guard !isJudged, bytes.count >= Self.frontLength else { return }
        isJudged = true
        do {
            _ = try PlaylistParser().parse(Array(bytes.prefix(Self.frontLength)))
        } catch {
            // What else can be wrong with a front, its cut end or its compression, the whole body will show.
            if case .notAPlaylist = error { throw error }
        }
    }
}
