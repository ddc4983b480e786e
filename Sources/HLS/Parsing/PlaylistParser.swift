/// Reads playlists from bytes, in one pass.
///
/// What real servers write is read: findings say what was wrong. A strict parse ends at the first thing that RFC
/// 8216bis forbids.
///
/// ```swift
/// let parsed = try PlaylistParser().parse(body)
/// if case .media(let playlist) = parsed.playlist { print(playlist.segments.count) }
/// ```
public struct PlaylistParser: Sendable {
    /// Bounds of what is read, since a playlist comes from outside.
    public struct Limits: Sendable, Hashable {
        /// The longest playlist, in bytes, inflated where it is compressed. 64 MiB.
        public var playlistLength = 64 * 1024 * 1024
        /// The longest line, in bytes. 1 MiB.
        public var lineLength = 1024 * 1024
        /// The most segments and tags that are kept. 2 million.
        public var entries = 2_000_000
        /// The most findings that are kept; the others are counted. 1,000.
        public var diagnostics = 1000

        /// The default limits.
        public init() {}
    }

    /// Inflates a gzip body: takes the bytes and the most bytes to give back.
    public typealias Inflater = @Sendable (_ compressed: [UInt8], _ limit: Int) throws -> [UInt8]

    /// Whether the first thing that the RFC forbids ends the parse.
    public var isStrict: Bool
    /// What variables may come from.
    public var context: PlaylistContext
    /// Bounds of what is read.
    public var limits: Limits
    /// Inflates bodies that are compressed; without it they are an error.
    public var inflate: Inflater?

    /// A parser; tolerant unless it is told otherwise.
    public init(
        isStrict: Bool = false, context: PlaylistContext = PlaylistContext(), limits: Limits = Limits(),
        inflate: Inflater? = nil
    ) {
        self.isStrict = isStrict
        self.context = context
        self.limits = limits
        self.inflate = inflate
    }

    /// Reads a playlist.
    ///
    /// - Throws: ``PlaylistError``: the body is something else, or past a limit, or wrong when the parse is strict.
    public func parse(_ bytes: [UInt8]) throws(PlaylistError) -> ParsedPlaylist {
        var log = DiagnosticLog(isStrict: isStrict, limit: limits.diagnostics)
        var body = bytes
        try checkLength(body)
        if body.starts(with: [0x1F, 0x8B]) {
            body = try inflated(body)
            try log.add(.note, .init(section: "4", name: "compressed"), line: 0, "The body is compressed with gzip.")
        }
        if let text = UTF16Text.utf8(body) {
            body = text
            try log.add(
                .error, .init(section: "4.1", name: "encoding"), line: 0, "The playlist is in UTF-16 instead of UTF-8.")
        }
        return try withBytes(of: body) { (buffer) throws(PlaylistError) in
            try parse(buffer, log)
        }
    }

    /// Reads a playlist from text.
    ///
    /// - Throws: ``PlaylistError``, as ``parse(_:)-([UInt8])`` does.
    public func parse(_ text: String) throws(PlaylistError) -> ParsedPlaylist {
        try parse(Array(text.utf8))
    }

    private func parse(_ bytes: UnsafeRawBufferPointer, _ log: DiagnosticLog) throws(PlaylistError) -> ParsedPlaylist {
        guard BodyKind.startsLikePlaylist(bytes) else { throw .notAPlaylist(ForeignContent(bytes)) }
        var reader = TagReader(bytes, context: context, limits: limits, log: log)
        let playlist: Playlist
        if PlaylistKind.detect(bytes) == .multivariant {
            var parser = MultivariantPlaylistParser()
            playlist = .multivariant(try parser.parse(&reader))
        } else {
            var parser = MediaPlaylistParser()
            playlist = .media(try parser.parse(&reader))
        }
        return ParsedPlaylist(
            playlist: playlist, diagnostics: reader.log.entries, droppedDiagnostics: reader.log.dropped,
            variables: reader.variables.values)
    }

    private func checkLength(_ bytes: [UInt8]) throws(PlaylistError) {
        guard bytes.count <= limits.playlistLength else { throw .playlistTooLong(limit: limits.playlistLength) }
    }

    private func inflated(_ bytes: [UInt8]) throws(PlaylistError) -> [UInt8] {
        guard let inflate, let body = try? inflate(bytes, limits.playlistLength) else { throw .notInflated }
        try checkLength(body)
        return body
    }
}
