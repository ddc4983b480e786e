/// Writes a progressive MP4 with its index first, in one pass over samples whose number isn't known before.
///
/// Room for the index is left at the front; what isn't used of it becomes a `free` box. When the index turns out larger
/// than the room, the media is moved once. Each track's samples are gathered into chunks of up to a second or 1 MiB, so
/// memory is bounded by the number of tracks, apart from about 12 bytes a sample for the index itself.
public struct MovieFileWriter<File: RandomAccessSink>: SampleSink {
    /// What was written.
    public struct Summary: Sendable, Hashable {
        /// The file's length in bytes.
        public var length: Int64
        /// How many bytes come before the media.
        public var headLength: Int64
        /// Whether the media had to be moved, because the index was larger than the room left for it.
        public var wasMoved: Bool
    }

    private var file: File
    private let expectedSeconds: Double
    private var mediaStart: Int64 = 0
    private var position: Int64 = 0
    private var tracks: [MediaTrack] = []
    private var gatherer = ChunkGatherer()
    /// The tables so far; its start and end can be set before ``finish()``.
    public var builder = MovieBuilder()

    /// Starts a file.
    ///
    /// - Parameters:
    ///   - file: An empty file.
    ///   - expectedDuration: About how many seconds of media will come, or nil: room is left accordingly.
    public init(_ file: File, expectedDuration: Double? = nil) {
        self.file = file
        expectedSeconds = min(max(expectedDuration ?? 0, 0), 1e6)
    }

    /// Takes the list of tracks; see ``SampleSink/tracks(_:)``.
    public mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        if self.tracks.isEmpty { leaveRoom(for: tracks) }
        try builder.setTracks(tracks)
        gatherer.setTracks(tracks)
        self.tracks = tracks
    }

    /// A second takes so many bytes in the tables, a chunk's included: 60 pictures with reordering, or 47 frames of
    /// sound. Room that isn't used is a hole in the file.
    private mutating func leaveRoom(for tracks: [MediaTrack]) {
        let perSecond = tracks.reduce(0) { $0 + ($1.kind == .video ? 860 : 240) }
        let room = 16384 + Int64(expectedSeconds * Double(perSecond))
        mediaStart = (room + 4095) / 4096 * 4096
        position = mediaStart
    }

    /// Takes a sample; see ``SampleSink/sample(_:bytes:)``.
    public mutating func sample(
        _ sample: MediaSample, bytes: UnsafeRawBufferPointer
    ) throws(ContainerError) {
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

    /// Writes what is left and the index.
    ///
    /// - Returns: What was written.
    /// - Throws: ``ContainerError`` when there were no samples, a track can't be carried by MP4, or the file fails.
    public mutating func finish() throws(ContainerError) -> Summary {
        for track in gatherer.chunks.indices { try flush(track) }
        guard builder.mediaLength > 0 else {
            throw ContainerError(.malformed, "there is nothing to write: no samples came")
        }
        let fileType = FileTypeWriter.progressive(for: tracks.flatMap(\.formats))
        let mediaHeader = MovieBuilder.mediaHeader(builder.mediaLength)
        var start = mediaStart
        var index = try builder.movieBox(mediaStart: start)
        var filler: Int64 = 0
        while true {
            filler = start - Int64(fileType.count + index.count + mediaHeader.count)
            // A box has at least eight bytes, so that a rest of one to seven can't be filled.
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

    /// Moves the media towards the end of the file, its last bytes first.
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
                throw ContainerError(.inputOutput, "the file lost bytes that were written", at: begin)
            }
            try file.write(UnsafeRawBufferPointer(part), at: begin + distance)
            end = begin
        }
    }
}
