/// A writer of progressive MP4 with its index at the front, in one pass over an unknown number of samples.
///
/// Space for the index is reserved at the front; a `free` box fills the unused part. If the index doesn't fit
/// the reserved space, the media is moved once. Memory is bounded by the number of tracks, except for the index.
public struct MovieFileWriter<File: RandomAccessSink>: SampleSink {
    /// The properties of a written file.
    public struct Summary: Sendable, Hashable {
        /// The length of the file in bytes.
        public var length: Int64
        /// The number of bytes before the media.
        public var headLength: Int64
        /// Whether the media was moved because the index didn't fit the reserved space.
        public var wasMoved: Bool
    }

    private var file: File
    private let expectedSeconds: Double
    private var mediaStart: Int64 = 0
    private var position: Int64 = 0
    private var gatherer = ChunkGatherer()
    /// The builder of the index. Its start and end can be set before ``finish()``. Its items should be set before the
    /// first tracks, so that space is reserved for them.
    public var builder = MovieBuilder()

    /// Starts writing to an empty file. The approximate duration of the media in seconds determines the space reserved
    /// for the index.
    public init(_ file: File, expectedDuration: Double? = nil) {
        self.file = file
        expectedSeconds = min(max(expectedDuration ?? 0, 0), 1e6)
    }

    /// Receives the list of tracks; see ``SampleSink/tracks(_:)``.
    public mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        if builder.tracks.isEmpty { reserveSpace(for: tracks) }
        try builder.setTracks(tracks)
        gatherer.setTracks(tracks)
    }

    /// Reserves space for the index: for each second, the table entries and the chunk offset of 60 reordered video
    /// frames or 47 audio frames. Unused space is a hole in the file.
    private mutating func reserveSpace(for tracks: [MediaTrack]) {
        let perSecond = tracks.reduce(0) { $0 + ($1.kind == .video ? 860 : 240) }
        let room = 16384 + Int64(builder.items.bytes.count) + Int64(expectedSeconds * Double(perSecond))
        mediaStart = (room + 4095) / 4096 * 4096
        position = mediaStart
    }

    /// Receives a sample; see ``SampleSink/sample(_:bytes:)``.
    public mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        if try gatherer.isComplete(before: sample) { try flush(sample.track) }
        gatherer.append(sample, bytes: bytes)
    }

    private mutating func flush(_ track: Int) throws(ContainerError) {
        guard !gatherer.chunks[track].samples.isEmpty else { return }
        for sample in gatherer.chunks[track].samples { try builder.add(sample) }
        try file.write(gatherer.chunks[track].bytes, at: position)
        position += Int64(gatherer.chunks[track].bytes.count)
        gatherer.clear(track)
    }

    /// Writes the remaining samples and the index. Throws when there are no samples or MP4 can't carry a track, and the
    /// errors of the file.
    public mutating func finish() throws(ContainerError) -> Summary {
        for track in gatherer.chunks.indices { try flush(track) }
        guard builder.mediaLength > 0 else {
            throw ContainerError(.malformed, "can't write an MP4 without samples")
        }
        let fileType = FileTypeWriter.progressive(for: builder.tracks.flatMap(\.media.formats))
        let mediaHeader = MovieBuilder.mediaHeader(builder.mediaLength)
        var start = mediaStart
        var index = try builder.movieBox(mediaStart: start)
        var filler: Int64 = 0
        while true {
            filler = start - Int64(fileType.count + index.count + mediaHeader.count)
            // A box has at least eight bytes, so a remainder of one to seven bytes can't be filled.
            if filler == 0 || filler >= 8 { break }
            start += filler < 0 ? -filler : 8
            index = try builder.movieBox(mediaStart: start)
        }
        try moveMedia(by: start - mediaStart)
        var head = fileType + index
        if filler > 0 {
            head.appendBigEndian(UInt32(truncatingIfNeeded: filler))
            head.append("free" as FourCC)
        }
        try file.write(head, at: 0)
        try file.write(mediaHeader, at: start - Int64(mediaHeader.count))
        return Summary(length: start + builder.mediaLength, headLength: start, wasMoved: start > mediaStart)
    }

    /// Moves the media toward the end of the file, starting with its last bytes.
    private mutating func moveMedia(by distance: Int64) throws(ContainerError) {
        guard distance > 0 else { return }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var end = position
        while end > mediaStart {
            let count = Int(min(Int64(buffer.count), end - mediaStart))
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[0..<count])
            let begin = end - Int64(count)
            guard try file.read(at: begin, into: part) == count else {
                throw ContainerError(.inputOutput, "can't read back the bytes written to the file", at: begin)
            }
            try file.write(UnsafeRawBufferPointer(part), at: begin + distance)
            end = begin
        }
    }
}
