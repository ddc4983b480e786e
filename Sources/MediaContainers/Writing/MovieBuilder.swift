/// A builder that collects the tracks and samples of a file and creates its `moov` (ISO/IEC 14496-12, 8.2).
///
/// Samples are added without their bytes, in the order of their bytes in `mdat`. Once all sizes and times are known,
/// ``progressiveLayout()`` determines the layout of the file, which can be streamed or served by range without writing
/// it. Tracks without samples are omitted from `moov`.
public struct MovieBuilder: Sendable {
    /// Samples of one track and format with contiguous bytes.
    struct Chunk: Sendable {
        var offset: Int64
        var firstSample: UInt32
        var count: UInt32
        var track: UInt16
        var format: UInt16
    }

    struct Track: Sendable {
        var media: MediaTrack
        var table = SampleTableBuilder()
        var shownEnd: Int64?
    }

    /// The maximum size in bytes of a chunk with several samples. Players read whole chunks.
    private static let chunkSize: Int64 = 1 << 20

    private(set) var tracks: [Track] = []
    private(set) var chunks: [Chunk] = []
    /// The size of the media added so far, in bytes.
    public private(set) var mediaLength: Int64 = 0
    private var chunkLength: Int64 = 0
    /// The start of presentation as ticks and ticks per second. The edit list hides samples before it. If nil,
    /// presentation starts with the earliest visible sample.
    public var start: (ticks: Int64, timescale: Int32)?
    /// The end of presentation as ticks and ticks per second. If nil, presentation ends with the last sample.
    public var end: (ticks: Int64, timescale: Int32)?
    /// The descriptive metadata of the file.
    public var items = ItemList()

    /// Creates a builder without tracks.
    public init() {}

    /// Adds a track and replaces its ID. Tracks may also be added between samples. Returns the ``MediaSample/track`` of
    /// the track's samples. Throws `limitExceeded` at the 65,536th track.
    public mutating func add(_ track: MediaTrack) throws(ContainerError) -> Int {
        guard tracks.count < Int(UInt16.max) else { throw ContainerError(.limitExceeded, "more than 65,535 tracks") }
        tracks.append(Track(media: track))
        return tracks.count - 1
    }

    /// Updates the list of tracks from ``SampleSink/tracks(_:)``: adds new tracks, and new formats of existing tracks.
    package mutating func setTracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        for (index, track) in tracks.enumerated() {
            if index < self.tracks.count {
                setFormats(track.formats, ofTrack: index)
            } else {
                _ = try add(track)
            }
        }
    }

    /// Replaces the formats of a track. The existing formats must remain at the front, in order.
    public mutating func setFormats(_ formats: [MediaFormat], ofTrack track: Int) {
        guard tracks.indices.contains(track) else { return }
        tracks[track].media.formats = formats
    }

    /// Sets the end of a track in its timescale if it ends before its last sample does, for example because of padding.
    public mutating func setShownEnd(_ end: Int64, ofTrack track: Int) {
        guard tracks.indices.contains(track) else { return }
        tracks[track].shownEnd = end
    }

    /// Adds the next sample of the file. Its times are on the timeline common to all tracks, in the timescale of its
    /// track. Returns the offset of its bytes in the content of `mdat`. Throws when the track or format is unknown,
    /// decoding times decrease, or a value doesn't fit its field.
    @discardableResult
    public mutating func add(_ sample: MediaSample) throws(ContainerError) -> Int64 {
        guard tracks.indices.contains(sample.track),
            tracks[sample.track].media.formats.indices.contains(sample.formatIndex)
        else {
            throw ContainerError(
                .malformed,
                "a sample refers to an unknown track or format: track \(sample.track), format \(sample.formatIndex)")
        }
        try sample.checkTimes(timescale: tracks[sample.track].media.timescale)
        try tracks[sample.track].table.add(sample)
        let offset = mediaLength
        let size = Int64(sample.size)
        if let last = chunks.indices.last, chunks[last].track == sample.track,
            chunks[last].format == sample.formatIndex, chunkLength + size <= Self.chunkSize
        {
            chunks[last].count += 1
            chunkLength += size
        } else {
            let first = UInt32(truncatingIfNeeded: tracks[sample.track].table.count - 1)
            chunks.append(
                Chunk(
                    offset: offset, firstSample: first, count: 1, track: UInt16(truncatingIfNeeded: sample.track),
                    format: UInt16(truncatingIfNeeded: sample.formatIndex)))
            chunkLength = size
        }
        mediaLength += size
        return offset
    }

    /// Returns the layout with the index at the front. Throws when MP4 can't carry a track, or `moov` exceeds 4 GiB.
    public func progressiveLayout() throws(ContainerError) -> ProgressiveLayout {
        let formats = tracks.flatMap(\.media.formats)
        var head = FileTypeWriter.progressive(for: formats)
        let mediaHeader = mediaLength + 8 > Int64(UInt32.max) ? 16 : 8
        // The size of moov depends on the width of the offsets in it but not on their values.
        let narrow = try movieBox(mediaStart: 0, isWide: false).count
        let isWide = Int64(head.count + narrow + mediaHeader) + mediaLength > Int64(UInt32.max)
        let size = isWide ? try movieBox(mediaStart: 0, isWide: true).count : narrow
        let mediaStart = Int64(head.count + size + mediaHeader)
        head += try movieBox(mediaStart: mediaStart, isWide: isWide)
        head += Self.mediaHeader(mediaLength)
        return ProgressiveLayout(head: head, mediaLength: mediaLength, chunks: chunks, sizes: tracks.map(\.table.sizes))
    }

    /// Returns a `moov` for a file in which the content of `mdat` begins at `mediaStart`. Throws as
    /// ``progressiveLayout()`` does.
    public func movieBox(mediaStart: Int64) throws(ContainerError) -> [UInt8] {
        try movieBox(mediaStart: mediaStart, isWide: mediaStart + mediaLength > Int64(UInt32.max))
    }

    /// Returns the header of `mdat` for content of this length: 16 bytes if the length requires it, otherwise 8.
    public static func mediaHeader(_ length: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        let isLong = length + 8 > Int64(UInt32.max)
        bytes.appendBigEndian(isLong ? 1 : UInt32(truncatingIfNeeded: length + 8))
        bytes.append("mdat" as FourCC)
        if isLong { bytes.appendBigEndian(UInt64(bitPattern: length + 16)) }
        return bytes
    }

    private func movieBox(mediaStart: Int64, isWide: Bool) throws(ContainerError) -> [UInt8] {
        var bytes: [UInt8] = []
        let timeline = MovieTimeline(tracks: tracks, start: start, end: end)
        try bytes.appendBox("moov") { (bytes) throws(ContainerError) in
            TrackHeaderWriter.movie(
                timescale: timeline.timescale, duration: timeline.duration,
                nextTrackID: UInt32(truncatingIfNeeded: tracks.count + 1), to: &bytes)
            let written = tracks.indices.filter { tracks[$0].table.count > 0 }
            let enabled = TrackHeaderWriter.enabled(of: written.map { tracks[$0].media })
            for (index, isEnabled) in zip(written, enabled) {
                try write(index, isEnabled, timeline.edits[index], mediaStart, isWide: isWide, to: &bytes)
            }
            items.write(to: &bytes)
        }
        guard bytes.count <= Int(UInt32.max) else {
            throw ContainerError(.unrepresentable, "moov: \(bytes.count) bytes don't fit a 32-bit size")
        }
        return bytes
    }

    private func write(
        _ index: Int, _ isEnabled: Bool, _ edits: MovieTimeline.TrackEdits, _ mediaStart: Int64, isWide: Bool,
        to bytes: inout [UInt8]
    ) throws(ContainerError) {
        let track = tracks[index]
        try TrackHeaderWriter.trak(
            track.media, id: index + 1, isEnabled: isEnabled, edits: edits, duration: track.table.mediaDuration,
            to: &bytes
        ) { bytes in
            track.table.write(to: &bytes)
            ChunkTableWriter(chunks: chunks, track: index, mediaStart: mediaStart).write(isWide: isWide, to: &bytes)
        }
    }
}

/// The layout of a progressive MP4, which is determined before any of its media is available: the head, then the
/// samples.
public struct ProgressiveLayout: Sendable {
    /// A position in a sample.
    public struct SampleLocation: Sendable, Hashable {
        /// The index of the track.
        public var track: Int
        /// The index of the sample in its track, from 0, in the order in which samples were added.
        public var index: Int
        /// The sample's size in bytes.
        public var size: Int
        /// The offset of the byte in the sample.
        public var offset: Int
    }

    /// The bytes of `ftyp`, `moov` and the header of `mdat`.
    public let head: [UInt8]
    /// The total size of the samples in bytes.
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

    /// Returns the sample that contains the byte at an offset of the file, or nil for the head and past the end.
    public func sample(at offset: Int64) -> SampleLocation? {
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
                return SampleLocation(
                    track: Int(chunk.track), index: index, size: Int(size), offset: Int(target - begin))
            }
            begin += size
        }
        return nil
    }
}
