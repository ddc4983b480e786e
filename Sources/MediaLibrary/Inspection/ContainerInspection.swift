package import MediaContainers

/// The tracks, samples and boxes of a container.
public struct ContainerInspection: Sendable {
    /// The properties of an MP4.
    struct MovieFacts: Sendable {
        /// Whether the index precedes the media; nil for a segment without an index.
        var hasIndexFirst: Bool?
        var isFragmented = false
        /// The duration that the header declares, in seconds; nil if it declares none, and for fragmented MP4.
        var duration: Double?
        var artwork: [Artwork] = []
        /// The IDs of the protection systems in hexadecimal digits.
        var protectionSystems: [String] = []
        var boxes: [BoxNode] = []
    }

    /// The URL or path, for messages.
    public let name: String
    /// The length in bytes.
    public let size: Int64
    let format: SegmentFormat
    /// The distance between the packets of a transport stream, in bytes.
    private(set) var packetStride: Int?
    /// The codec of packed audio; nil for other formats, or if no audio was found.
    private(set) var packedFormat: PackedAudioFormat?
    /// The timestamp of the first sample of packed audio, in seconds on the stream's clock.
    private(set) var startTimestamp: Double?
    /// The image in an ID3 tag, with its size in bytes.
    private(set) var picture: (mediaType: String, size: Int)?
    /// The properties of an MP4; nil for other formats.
    private(set) var movie: MovieFacts?
    private(set) var tracks: [MediaTrack] = []
    private(set) var tallies: [TrackTally] = []
    private(set) var diagnostics: [ContainerDiagnostic] = []
    /// The number of diagnostics that were dropped beyond the first 1000.
    public private(set) var droppedDiagnostics = 0
    /// The error that ended reading before the end of the container.
    private(set) var failure: ContainerError?

    package init<Source: ByteSource>(_ contents: ContainerContents<Source>, name: String) throws(ContainerError) {
        self.name = name
        size = contents.source.length
        format = contents.format
        var tallies = TrackTallies()
        switch contents.format {
        case .mp4: try readMovie(contents, &tallies)
        case .transportStream:
            let demuxer = TransportStreamDemuxer()
            try contents.push(into: &tallies, demuxer.push, demuxer.finish)
            packetStride = demuxer.packetStride
        case .packedAudio:
            let demuxer = PackedAudioDemuxer()
            try contents.push(into: &tallies, demuxer.push, demuxer.finish)
            packedFormat = demuxer.format
            startTimestamp = demuxer.startTimestamp.map { SecondsText.number($0, timescale: 90_000) }
            picture = demuxer.picture.map { ($0.mediaType, $0.data.count) }
        }
        tracks = tallies.tracks
        self.tallies = tallies.tallies
        diagnostics = tallies.diagnostics
        droppedDiagnostics = tallies.droppedDiagnostics
    }

    /// The JSON record of the container. `mediacache help inspect` lists its keys.
    public var record: some Encodable & Sendable { ContainerRecord(self) }

    /// The duration in seconds that the index of an MP4 without fragments declares; otherwise from the first
    /// presentation time to the end of the last sample, or nil without samples. Data tracks count only if there are no
    /// others.
    public var duration: Double? {
        if let duration = movie?.duration { return duration }
        let hasOnlyData = tracks.allSatisfy { $0.kind == .data }
        let spans = zip(tracks, tallies).compactMap { track, tally -> (Int64, Int64)? in
            guard let start = tally.start, track.kind != .data || hasOnlyData else { return nil }
            return (
                Timescale.convert(start, from: track.timescale, to: 1_000_000),
                Timescale.convert(tally.end, from: track.timescale, to: 1_000_000)
            )
        }
        guard let start = spans.map(\.0).min(), let end = spans.map(\.1).max() else { return nil }
        return Double(end &- start) / 1e6
    }

    private mutating func readMovie<Source: ByteSource>(
        _ contents: ContainerContents<Source>, _ tallies: inout TrackTallies
    ) throws(ContainerError) {
        let tree = try BoxTree(contents.source)
        var facts = MovieFacts(boxes: tree.roots)
        let index = tree.roots.first { $0.header.type == "moov" }?.header.offset
        let media = tree.roots.first { $0.header.type == "mdat" || $0.header.type == "moof" }?.header.offset
        facts.hasIndexFirst = index.map { $0 < media ?? .max }
        facts.isFragmented = tree.roots.contains { $0.header.type == "moof" }
        guard index != nil || contents.initialization != nil else {
            movie = facts
            return
        }
        let reader = try contents.movie()
        facts.isFragmented = facts.isFragmented || reader.movie.isFragmented
        facts.artwork = reader.movie.artwork
        facts.protectionSystems = reader.movie.protectionSystems.map { "\($0.systemID)" }
        if let duration = reader.movie.duration, duration > 0, !facts.isFragmented {
            facts.duration = SecondsText.number(duration, timescale: reader.movie.timescale)
        }
        movie = facts
        tallies.tracks(reader.tracks)
        do {
            var samples = try reader.samples()
            while let sample = try samples.next() { tallies.add(sample) }
        } catch {
            // The readable part of a damaged file is still reported.
            failure = error
        }
    }
}
