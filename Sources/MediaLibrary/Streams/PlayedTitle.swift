public import Foundation
public import MediaCache

/// Something that was played through the cache and isn't in the library, as a person would list it: a stream is one thing,
/// however many files it has.
public struct PlayedTitle: Sendable, Hashable {
    /// What there may be.
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// A film, a song: one resource.
        case file
        /// A stream whose playlist is kept.
        case stream
        /// Segments of a stream whose playlist isn't, as a live one's, in one folder of an origin: nothing plays them.
        case parts
    }

    /// What it is.
    public var kind: Kind
    /// What it's played by: the file, or the playlist. Of parts the one that was used last.
    public var main: ResourceInfo
    /// All that is kept of it, ``main`` first.
    public var resources: [ResourceInfo]
    /// How many segments a stream has, gaps left out: of the variant stream of which most is kept. 0 of anything else.
    public var segments = 0
    /// Those of which every byte is here.
    public var segmentsKept = 0

    /// How many bytes are kept.
    public var bytesKept: Int64 { resources.reduce(0) { $0 + $1.bytesKept } }
    /// When any of it was read last.
    public var lastUsed: Date { resources.map(\.lastUsed).max() ?? main.lastUsed }
    /// Whether someone reads it, or a fill runs.
    public var isInUse: Bool { resources.contains(where: \.isInUse) }
}
