package import HLS
public import MediaCache

/// A parsed HLS playlist with its diagnostics.
public struct PlaylistInspection: Sendable {
    /// The URL or path, for messages.
    public let name: String
    /// The playlist. References are resolved if the base URL is known.
    package private(set) var parsed: ParsedPlaylist
    let references: AddressScope
    /// The diagnostics, ordered by line. Those about the whole playlist come first.
    package let diagnostics: [Diagnostic]

    private static let diagnosticsLimit = 100_000

    /// Fetches and parses a playlist.
    ///
    /// - Parameters:
    ///   - origin: The client of the origin. No cache is read or written.
    ///   - settings: The limits, retries, header profiles and cookies of the request.
    ///   - base: The base URL of references; nil means the playlist's own URL after redirects.
    ///   - variables: The values of variables that the playlist can import (RFC 8216bis §4.4.2.3).
    ///   - isStrict: Whether the first violation of the RFC is an error.
    /// - Throws: `CacheError` of the request; ``MediaJobError`` for a body that can't be parsed as a playlist.
    public init(
        of url: ResourceURL, origin: any Origin, settings: TransferSettings, base: ResourceURL? = nil,
        variables: [String: String] = [:], isStrict: Bool = false
    ) async throws {
        let body = try await PlaylistFetch(origin: origin, settings: settings).body(of: url)
        try self.init(body, base: base, variables: variables, isStrict: isStrict)
    }

    /// Parses a playlist. Throws ``MediaJobError`` if that fails.
    package init(
        _ body: PlaylistBody, base: ResourceURL? = nil, variables: [String: String] = [:], isStrict: Bool = false
    ) throws {
        let base = (base ?? body.location).map { "\($0)" }
        var limits = PlaylistParser.Limits()
        limits.diagnostics = Self.diagnosticsLimit
        let parser = PlaylistParser(
            isStrict: isStrict, context: PlaylistContext(playlistURL: base, importableVariables: variables),
            limits: limits, inflate: { try Inflater.inflatePlaylist($0, limit: $1) })
        do {
            parsed = try parser.parse(body.bytes)
        } catch {
            throw MediaJobError(error, of: body.name)
        }
        name = body.name
        references = body.references
        if let base { parsed.playlist = parsed.playlist.resolvingURIs(against: base) }
        diagnostics = Self.byLine(parsed.diagnostics, \.line)
    }

    /// Whether the playlist is a multivariant playlist.
    public var isMultivariant: Bool { parsed.playlist.kind == .multivariant }

    /// The values of the playlist's variables by name.
    public var variables: [String: String] { parsed.variables }

    /// The number of diagnostics that were dropped beyond the first 100,000.
    public var droppedDiagnostics: Int { parsed.droppedDiagnostics }

    /// The keys in ``record`` of any playlist. The keys of a value follow in parentheses.
    package static var keys: [String] {
        ["kind (media or multivariant)"] + Playlist.recordKeys
            + ["unknownTags (line, tag, value)", "diagnostics (line, severity, rule, message)"]
    }

    /// The keys in ``record`` that only media playlists have.
    package static var mediaPlaylistKeys: [String] { MediaPlaylist.recordKeys }

    /// The keys in ``record`` that only multivariant playlists have.
    package static var multivariantPlaylistKeys: [String] { MultivariantPlaylist.recordKeys }

    /// The JSON record of the playlist. `mediacache help inspect` lists its keys.
    public var record: some Encodable & Sendable { PlaylistRecord(self) }

    /// The tags that RFC 8216bis doesn't define for this kind of playlist, ordered by line: unknown tags, misplaced
    /// tags, and advertisement cues.
    package var unknownTags: [UnknownTag] {
        var tags = parsed.playlist.unknownTags
        if let media = parsed.playlist.media {
            for segment in media.segments + [media.upcoming].compactMap(\.self) where !segment.tags.isEmpty {
                tags += segment.cues.map { UnknownTag(name: $0.tag.rawValue, value: $0.value, line: $0.line) }
            }
        }
        return Self.byLine(tags, \.line)
    }

    /// Returns items sorted by line. Items on the same line keep their order.
    private static func byLine<Item>(_ items: [Item], _ line: (Item) -> Int) -> [Item] {
        items.enumerated().sorted { (line($0.element), $0.offset) < (line($1.element), $1.offset) }.map(\.element)
    }
}
