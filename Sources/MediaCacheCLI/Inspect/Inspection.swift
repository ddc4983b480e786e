import HLS
import MediaCache
import MediaLibrary

/// A playlist as it was read, its references resolved where it's known against what.
struct Inspection: Sendable {
    /// Where it came from, as messages name it.
    var name: String
    /// What was read.
    var parsed: ParsedPlaylist
    /// The scope of everything that it names.
    var references: AddressScope
    /// The findings by line; those about the whole first.
    var diagnostics: [Diagnostic]

    /// More findings than this are counted only.
    static let diagnosticsLimit = 100_000

    /// Reads the playlist in `body`.
    ///
    /// - Parameters:
    ///   - base: what references resolve against; else the body's location, if it has one.
    ///   - variables: what the playlist may import (RFC 8216bis, section 4.4.2.3).
    ///   - isStrict: whether the first thing that the RFC forbids is a failure.
    /// - Throws: ``CommandFailure``.
    init(
        _ body: InspectedBody, base: ResourceURL? = nil, variables: [String: String] = [:], isStrict: Bool = false
    ) throws {
        let base = (base ?? body.location).map { "\($0)" }
        var limits = PlaylistParser.Limits()
        limits.diagnostics = Self.diagnosticsLimit
        let parser = PlaylistParser(
            isStrict: isStrict, context: PlaylistContext(playlistURL: base, importableVariables: variables),
            limits: limits, inflate: { try Inflater.inflate($0, limit: $1) })
        do {
            parsed = try parser.parse(body.bytes)
        } catch {
            throw CommandFailure(error, of: body.name)
        }
        name = body.name
        references = body.references
        if let base { parsed.playlist = parsed.playlist.resolvingURIs(against: base) }
        diagnostics = Self.byLine(parsed.diagnostics, \.line)
    }

    /// The tags that RFC 8216bis doesn't define for this kind of playlist, by line: unknown and misplaced ones, and the
    /// older cues of advertisements.
    var unknownTags: [UnknownTag] {
        var tags = parsed.playlist.unknownTags
        if let media = parsed.playlist.media {
            for segment in media.segments + [media.upcoming].compactMap(\.self) where !segment.tags.isEmpty {
                tags += segment.cues.map { UnknownTag(name: $0.tag.rawValue, value: $0.value, line: $0.line) }
            }
        }
        return Self.byLine(tags, \.line)
    }

    /// Items by line; those of one line, and those about the whole, stay in their order.
    private static func byLine<Item>(_ items: [Item], _ line: (Item) -> Int) -> [Item] {
        items.enumerated().sorted { (line($0.element), $0.offset) < (line($1.element), $1.offset) }.map(\.element)
    }
}
