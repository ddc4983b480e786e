public import Foundation
import MediaCache
public import MediaLibrary

/// Something that was played through and isn't in the library, as `GET /api/v1/played` gives it: a stream is one thing,
/// however many files it has.
public struct PlayedRecord: Codable, Sendable, Hashable, Identifiable {
    /// The number of the resource that it's played by: of the file, or the playlist; of parts, of the one used last.
    public var id: Int64
    /// What it is.
    public var kind: PlayedTitle.Kind
    /// The URL that it's played by; of parts their folder's.
    public var url: String
    /// How many bytes are kept.
    public var bytes: Int64
    /// How many resources there are.
    public var count: Int
    /// When any of it was last read.
    public var lastUsed: Date
    /// Whether someone reads or fills any of it.
    public var inUse: Bool
    /// The complete length of a file in bytes; null while it isn't known, and of anything else.
    public var length: Int64?
    /// The runs of bytes of a file that are here, in order; none of anything else.
    public var spans: [ByteSpan]
    /// The runs of bytes of a file that are being fetched, likewise.
    public var fills: [ByteSpan]
    /// How many segments a stream has, of the variant stream of which most is kept; 0 of anything else.
    public var segments: Int
    /// Those of which every byte is here.
    public var segmentsKept: Int

    /// The record of a title.
    public init(_ title: PlayedTitle) {
        let file = title.kind == .file ? title.main : nil
        id = title.main.id
        kind = title.kind
        url = title.kind == .parts ? title.main.folder : title.main.url
        bytes = title.bytesKept
        count = title.resources.count
        lastUsed = title.lastUsed
        inUse = title.isInUse
        length = file?.length
        spans = file?.spans.map { ByteSpan($0) } ?? []
        fills = file?.fills.map { ByteSpan($0) } ?? []
        segments = title.segments
        segmentsKept = title.segmentsKept
    }
}
