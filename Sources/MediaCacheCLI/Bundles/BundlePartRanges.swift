import MediaCache
import MediaCacheAPI
import MediaContainers
import MediaLibrary

/// The bytes of a resource that an asset consists of, where that isn't all of them: the segments of a film in one file,
/// without its index.
struct BundlePartRanges: Equatable {
    /// So many are read at once.
    static let pieceLength: Int64 = 1 << 20

    /// In order, none touching another.
    let ranges: [Range<Int64>]

    /// - Parameter parts: all that are of one name; nil where one of them is the whole resource.
    init?(of parts: [AssetPart]) {
        var map = SpanMap()
        for part in parts {
            guard let range = part.range else { return nil }
            map.insert(range)
        }
        ranges = Array(map.spans)
    }

    /// Writes them where they were, with holes in between and behind them.
    ///
    /// - Parameter read: what gives the bytes of a range.
    /// - Returns: how long the resource is, and the file.
    /// - Throws: `ContainerError`, with `inputOutput` where some aren't here.
    func copy(
        to file: FileSink, read: (Range<Int64>) throws(ContainerError) -> MediaPart
    ) throws(ContainerError) -> Int64 {
        var length: Int64 = 0
        var entityTag: String?
        for range in ranges {
            var offset = range.lowerBound
            while offset < range.upperBound {
                let piece = try read(offset..<min(range.upperBound, offset + Self.pieceLength))
                guard !piece.bytes.isEmpty, piece.offset == offset, entityTag == nil || piece.entityTag == entityTag
                else { throw ContainerError(.inputOutput, "the resource changed while it was read", at: offset) }
                try Self.write(piece.bytes, at: offset, to: file)
                entityTag = piece.entityTag
                offset += Int64(piece.bytes.count)
                length = max(length, piece.completeLength ?? 0, offset)
            }
        }
        let end = ranges.last?.upperBound ?? 0
        // It's as long as it was, so that what its playlists say of it is true.
        if length > end { try Self.write([0], at: length - 1, to: file) }
        return length
    }

    private static func write(_ bytes: [UInt8], at offset: Int64, to file: FileSink) throws(ContainerError) {
        var failure: ContainerError?
        bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            do throws(ContainerError) { try file.write(bytes, at: offset) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
