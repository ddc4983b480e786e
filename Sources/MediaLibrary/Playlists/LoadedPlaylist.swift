public import HLS
public import MediaCache

/// A playlist as it was read from its origin or from what is kept.
public struct LoadedPlaylist: Sendable {
    /// The bytes as they came, inflated where they were compressed.
    public let bytes: [UInt8]
    /// What the response said.
    public var head: ResourceHead
    /// The URL that it was asked for by.
    public var url: ResourceURL
    /// The scope of everything that the playlist names.
    public let references: AddressScope
    /// Whether the origin has just given it in place of another version that was kept.
    var replacesAnother = false
    /// Its kind; nil where no tag tells it.
    public let kind: PlaylistKind?
    /// Whether it may be another one soon, so that it's never kept: a media playlist without EXT-X-ENDLIST
    /// (RFC 8216bis §4.4.3.4), or without a segment, as an encoder writes that has only begun.
    public let isLive: Bool

    /// Creates a playlist from the response that contained it.
    ///
    /// - Parameters:
    ///   - bytes: the playlist's text, without content coding.
    ///   - head: the response's head.
    ///   - url: the URL that the playlist was requested by.
    ///   - kind: its kind; nil where no tag tells it.
    ///   - scope: the scope that the playlist was requested with.
    public init(
        bytes: [UInt8], head: ResourceHead, url: ResourceURL, kind: PlaylistKind?, scope: AddressScope = .publicOnly
    ) {
        references = AddressScope(
            ofReferencesAt: head.location ?? url, from: head.peer, requestedWith: scope)
        self.bytes = bytes
        self.head = head
        self.url = url
        self.kind = kind
        isLive = Self.isLive(bytes, kind: kind)
    }

    /// The playlist in UTF-8, as RFC 8216bis §4.1 has it, where it came in UTF-16. References are found in UTF-8 only.
    package var inUTF8: LoadedPlaylist {
        guard let text = UTF16Text.utf8(bytes) else { return self }
        var playlist = LoadedPlaylist(bytes: text, head: head, url: url, kind: kind, scope: references)
        playlist.replacesAnother = replacesAnother
        return playlist
    }

    /// What relative references resolve against: the URL after redirects.
    public var base: ResourceURL { head.location ?? url }

    /// See ``isLive``.
    static func isLive(_ bytes: [UInt8], kind: PlaylistKind?) -> Bool {
        guard kind != .multivariant else { return false }
        let bytes = UTF16Text.utf8(bytes) ?? bytes
        let lines = PlaylistLines(bytes)
        return !lines.contains("#EXT-X-ENDLIST") || !lines.contains("#EXTINF")
    }
}

extension LoadedPlaylist {
    /// The most bytes of resolved URLs, estimated, that a short playlist may lead to. A reference of one byte becomes as
    /// long as the URL that it is resolved against.
    private static let maximumResolvedLength = 256 << 20

    /// The playlist's model.
    ///
    /// - Parameter variables: what it may import (EXT-X-DEFINE, RFC 8216bis §4.4.2.3).
    /// - Throws: `CacheError` with `notMedia` for what is no playlist; with `badResponse` if its references would be too
    ///   long together once they are resolved.
    func parsed(importing variables: [String: String] = [:]) throws -> ParsedPlaylist {
        let lines = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        guard lines * base.path.utf8.count <= max(Self.maximumResolvedLength, 6 * bytes.count) else {
            throw CacheError(.badResponse, "the URLs that \(url) names would be too long together")
        }
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        do {
            return try PlaylistParser(context: context).parse(bytes)
        } catch {
            throw CacheError(.notMedia, "\(url) can't be read as a playlist: \(error)")
        }
    }
}
