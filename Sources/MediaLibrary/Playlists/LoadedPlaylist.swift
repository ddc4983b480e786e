public import HLS
public import MediaCache

/// A playlist loaded from its origin or from the cache.
public struct LoadedPlaylist: Sendable {
    /// The bytes of the playlist, decompressed.
    public let bytes: [UInt8]
    /// The head of the response.
    public var head: ResourceHead
    /// The requested URL.
    public var url: ResourceURL
    /// The address scope of the playlist's references.
    public let references: AddressScope
    /// Whether the playlist was just received and replaces a different cached version.
    var replacesAnother = false
    /// The kind of playlist; nil if no tag determines it.
    public let kind: PlaylistKind?
    /// Whether the playlist may change soon, so that it isn't cached: a media playlist, or one of unknown kind, without
    /// EXT-X-ENDLIST (RFC 8216bis §4.4.3.4), or without segments, as an encoder writes at its start.
    public let isLive: Bool

    /// Creates a playlist from the response that contained it.
    ///
    /// - Parameters:
    ///   - bytes: The playlist's text, without content coding.
    ///   - scope: The address scope with which the playlist was requested.
    public init(
        bytes: [UInt8], head: ResourceHead, url: ResourceURL, kind: PlaylistKind?, scope: AddressScope = .publicOnly
    ) {
        references = AddressScope(ofReferencesAt: head.location ?? url, from: head.peer, requestedWith: scope)
        self.bytes = bytes
        self.head = head
        self.url = url
        self.kind = kind
        isLive = Self.isLive(bytes, kind: kind)
    }

    /// The playlist in UTF-8 (RFC 8216bis §4.1), which the scan for references requires, even if received in UTF-16.
    package var inUTF8: LoadedPlaylist {
        guard let text = UTF16Text.utf8(bytes) else { return self }
        var playlist = LoadedPlaylist(bytes: text, head: head, url: url, kind: kind, scope: references)
        playlist.replacesAnother = replacesAnother
        return playlist
    }

    /// The base URL of relative references: the URL after redirects.
    public var base: ResourceURL { head.location ?? url }

    static func isLive(_ bytes: [UInt8], kind: PlaylistKind?) -> Bool {
        guard kind != .multivariant else { return false }
        let bytes = UTF16Text.utf8(bytes) ?? bytes
        return !hasLine(startingWith: "#EXT-X-ENDLIST", in: bytes) || !hasLine(startingWith: "#EXTINF", in: bytes)
    }

    /// The maximum estimated size of a playlist's resolved URLs in bytes, unless the playlist is long. A reference of
    /// one byte may resolve to a URL as long as its base.
    private static let maximumResolvedLength = 256 << 20

    /// Resolves a reference. Throws `CacheError` with `notMedia` if it isn't an HTTP URL.
    func resolve(_ uri: String) throws -> ResourceURL {
        do {
            return try base.resolve(uri)
        } catch {
            throw CacheError(.notMedia, "\(url) refers to “\(uri)”, which isn't an HTTP URL", cause: error)
        }
    }

    /// Returns the parsed playlist.
    ///
    /// - Parameter variables: The variables that the playlist may import (EXT-X-DEFINE, RFC 8216bis §4.4.2.3).
    /// - Throws: `CacheError` with `notMedia` if the bytes aren't a playlist; with `badResponse` if the resolved
    ///   references would be too long.
    func parsed(importing variables: [String: String] = [:]) throws -> ParsedPlaylist {
        let lines = bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } + 1
        guard lines * base.path.utf8.count <= max(Self.maximumResolvedLength, 6 * bytes.count) else {
            throw CacheError(
                .badResponse, "the URLs in the playlist \(url) would exceed the memory limit when resolved")
        }
        let context = PlaylistContext(playlistURL: base.description, importableVariables: variables)
        do {
            return try PlaylistParser(context: context).parse(bytes)
        } catch {
            throw CacheError(.notMedia, "\(url) can't be parsed as a playlist: \(error)")
        }
    }

    /// Returns whether a line begins with `tag`, possibly after white space, without parsing the playlist.
    private static func hasLine(startingWith tag: StaticString, in bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            let tag = UnsafeBufferPointer(start: tag.utf8Start, count: tag.utf8CodeUnitCount)
            // The search runs backward, because EXT-X-ENDLIST is usually the last tag.
            var start = bytes.count - tag.count
            while start >= 0 {
                if bytes[start] == UInt8(ascii: "#"), bytes[start..<start + tag.count].elementsEqual(tag),
                    isLineStart(start, of: bytes)
                {
                    return true
                }
                start -= 1
            }
            return false
        }
    }

    private static func isLineStart(_ start: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let blanks = [UInt8(ascii: " "), UInt8(ascii: "\t")]
        guard let before = bytes[..<start].last(where: { !blanks.contains($0) }) else { return true }
        return before == UInt8(ascii: "\n") || before == UInt8(ascii: "\r")
    }
}
