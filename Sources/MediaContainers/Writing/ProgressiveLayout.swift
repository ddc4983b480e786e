/// Where everything is in a progressive MP4 before a byte of its media is there: the head, then the samples.
public struct ProgressiveLayout: Sendable {
    /// A place in a sample.
    public struct SamplePlace: Sendable, Hashable {
        /// The index of the track.
        public var track: Int
        /// The index of the sample in its track, from 0, in the order in which samples were added.
        public var index: Int
        /// The sample's size in bytes.
        public var size: Int
        /// The byte of the sample.
        public var offset: Int
    }

    /// `ftyp`, `moov` and the header of `mdat`.
    public let head: [UInt8]
    /// The length of the samples' bytes.
    public let mediaLength: Int64
    private let chunks: [MovieBuilder.Chunk]
    private let sizes: [[UInt32]]

    init(head: [UInt8], mediaLength: Int64, chunks: [MovieBuilder.Chunk], sizes: [[UInt32]]) {
        self.head = head
        self.mediaLength = mediaLength
        self.chunks = chunks
        self.sizes = sizes
    }

    /// The length of the whole file in bytes.
    public var length: Int64 { Int64(head.count) + mediaLength }

    /// The sample that a byte of the file belongs to, or nil in the head and past the end.
    ///
    /// - Parameter offset: A byte of the file.
    public func sample(at offset: Int64) -> SamplePlace? {
        let target = offset - Int64(head.count)
        guard target >= 0, target < mediaLength else { return nil }
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            if chunks[middle].offset <= target { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        let chunk = chunks[low - 1]
        var begin = chunk.offset
        for index in Int(chunk.firstSample)..<Int(chunk.firstSample) + Int(chunk.count) {
            let size = Int64(sizes[Int(chunk.track)][index])
            if target < begin + size {
                return SamplePlace(track: Int(chunk.track), index: index, size: Int(size), offset: Int(target - begin))
            }
            begin += size
        }
        return nil
    }
}
