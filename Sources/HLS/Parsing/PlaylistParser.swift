/// A parser of playlists. It accepts the invalid playlists that real servers produce, and reports violations as
/// diagnostics. A strict parser throws at the first violation of RFC 8216bis.
public struct PlaylistParser: Sendable {
    /// Limits for playlists, which are untrusted input.
    public struct Limits: Sendable, Hashable {
        /// The maximum length of a playlist in bytes, before and after decompression.
        public var playlistLength = 64 * 1024 * 1024
        /// The maximum length of a line in bytes.
        public var lineLength = 1024 * 1024
        /// The maximum number of segments and tags.
        public var entries = 2_000_000
        /// The maximum number of stored diagnostics. Further diagnostics are only counted.
        public var diagnostics = 1000

        /// Creates the default limits.
        public init() {}
    }

    /// A function that decompresses gzip. It throws ``PlaylistError/playlistTooLong(limit:)`` if the result exceeds
    /// `limit` bytes. The parser replaces errors other than ``PlaylistError`` with ``PlaylistError/notInflated``.
    public typealias Inflater = @Sendable (_ compressed: [UInt8], _ limit: Int) throws -> [UInt8]

    /// Whether the parser throws at the first violation of the RFC.
    public var isStrict: Bool
    /// The values of variables that are defined outside the playlist.
    public var context: PlaylistContext
    /// The limits that playlists mustn't exceed.
    public var limits: Limits
    /// The function that decompresses gzip bodies. Without one, they fail with ``PlaylistError/notInflated``.
    public var inflate: Inflater?

    /// Creates a parser. By default, it tolerates violations.
    public init(
        isStrict: Bool = false, context: PlaylistContext = PlaylistContext(), limits: Limits = Limits(),
        inflate: Inflater? = nil
    ) {
        self.isStrict = isStrict
        self.context = context
        self.limits = limits
        self.inflate = inflate
    }

    /// Parses a playlist. Throws ``PlaylistError`` if the body isn't a playlist, exceeds a limit or can't be
    /// decompressed, and, if the parser is strict, for any violation of the RFC.
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

    /// Parses a playlist from text. Throws the errors of ``parse(_:)-([UInt8])``.
    public func parse(_ text: String) throws(PlaylistError) -> ParsedPlaylist { try parse(Array(text.utf8)) }

    private func parse(_ bytes: UnsafeRawBufferPointer, _ log: DiagnosticLog) throws(PlaylistError) -> ParsedPlaylist {
        guard BodyKind.startsLikePlaylist(bytes) else { throw .notAPlaylist(OtherContent(bytes)) }
        var reader = LineReader(bytes, context: context, limits: limits, log: log)
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
        guard let inflate else { throw .notInflated }
        let body: [UInt8]
        do {
            body = try inflate(bytes, limits.playlistLength)
        } catch {
            throw error as? PlaylistError ?? .notInflated
        }
        try checkLength(body)
        return body
    }
}

/// The result of parsing a playlist.
public struct ParsedPlaylist: Sendable, Hashable {
    /// The playlist.
    public var playlist: Playlist
    /// The first diagnostics, at most ``PlaylistParser/Limits/diagnostics``.
    public var diagnostics: [Diagnostic]
    /// The number of diagnostics beyond the limit, which aren't stored.
    public var droppedDiagnostics: Int
    /// The values of the playlist's variables by name. Media playlists import those of a multivariant playlist.
    public var variables: [String: String]
}
