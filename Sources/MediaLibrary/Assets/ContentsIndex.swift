/// What an asset consists of, found by name.
package struct ContentsIndex: Sendable {
    /// What the asset consists of.
    package let contents: AssetContents
    private let playlists: [String: Int]
    private let parts: [String: Int]

    /// What names resolve against where a URL is needed: no host has this name (RFC 6761 §6.4).
    package static let base = "http://asset.invalid/"

    /// An index of contents.
    package init(_ contents: AssetContents) {
        self.contents = contents
        playlists = Dictionary(
            contents.playlists.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first })
        // Ranges of one resource have one name.
        parts = Dictionary(
            contents.parts.enumerated().map { ($0.element.name, $0.offset) }, uniquingKeysWith: { first, _ in first })
    }

    /// The playlist of this name.
    package func playlist(_ name: String) -> AssetContents.LocalPlaylist? {
        playlists[name].map { contents.playlists[$0] }
    }

    /// The part of this name; of several that are ranges of one resource, the first.
    package func part(_ name: String) -> AssetPart? { parts[name].map { contents.parts[$0] } }

    /// What a URL under ``base`` names; nil for another URL.
    package static func name(of url: String) -> String? {
        url.hasPrefix(base) ? String(url.dropFirst(base.count)) : nil
    }

    /// About how many bytes of memory it takes.
    package var memory: Int64 {
        let texts = contents.playlists.reduce(0) { $0 + Int64($1.text.utf8.count) }
        // Two strings and a place in the index for each part.
        return texts + Int64(contents.parts.count) * 400
    }
}
