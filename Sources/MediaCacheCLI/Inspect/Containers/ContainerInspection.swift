import MediaContainers

/// A container as it was read: its tracks, what their samples come to, its boxes.
struct ContainerInspection: Sendable {
    /// What an MP4 has besides tracks.
    struct MovieFacts: Sendable {
        /// Whether its index comes before its media; nil in a segment without an index.
        var hasIndexFirst: Bool?
        /// Whether its samples are in fragments.
        var isFragmented = false
        /// How long it lasts in seconds, as its header says.
        var duration: Double?
        /// Pictures in its metadata.
        var artwork: [Artwork] = []
        /// The protection systems that it names, in hexadecimal digits.
        var protectionSystems: [String] = []
        /// Its boxes.
        var boxes: [BoxNode] = []
        /// Whether more boxes are there than are shown.
        var isCutOff = false
    }

    /// Where it came from, as messages name it.
    var name: String
    /// Its length in bytes.
    var size: Int64
    /// What it is.
    var format: SegmentFormat
    /// The distance between the packets of a transport stream, in bytes.
    var packetStride: Int?
    /// The codec of packed audio.
    var packedFormat: PackedAudioFormat?
    /// The time stamp of packed audio's first sample, in seconds on the stream's clock.
    var startTimestamp: Double?
    /// The size of the picture in an ID3 tag, in bytes.
    var picture: (mediaType: String, size: Int)?
    /// What an MP4 has besides.
    var movie: MovieFacts?
    /// The tracks.
    var tracks: [MediaTrack] = []
    /// What each comes to.
    var tallies: [TrackTally] = []
    /// What was wrong.
    var diagnostics: [ContainerDiagnostic] = []
    /// Findings that were left out.
    var droppedDiagnostics = 0
    /// Why reading ended before the container did.
    var failure: ContainerError?

    /// Reads a container; of an MP4 only the index, of anything else all.
    init<Source: MediaContainers.ByteSource>(
        _ contents: ContainerContents<Source>, name: String
    ) throws(ContainerError) {
        self.name = name
        size = contents.source.length
        format = contents.format
        var tallies = TrackTallies()
        switch contents.format {
        case .mp4: try readMovie(contents, &tallies)
        case .transportStream, .packedAudio: try readStream(contents, &tallies)
        }
        tracks = tallies.tracks
        self.tallies = tallies.tallies
        diagnostics = tallies.diagnostics
        droppedDiagnostics = tallies.droppedDiagnostics
    }

    /// From the first moment shown of any track to the last, in seconds; nil where there are no samples.
    var duration: Double? {
        if let duration = movie?.duration { return duration }
        let isDataAlone = tracks.allSatisfy { $0.kind == .data }
        let spans = zip(tracks, tallies).compactMap { track, tally -> (Int64, Int64)? in
            guard let start = tally.start, track.kind != .data || isDataAlone else { return nil }
            return (
                Timescale.convert(start, from: track.timescale, to: 1_000_000),
                Timescale.convert(tally.end, from: track.timescale, to: 1_000_000)
            )
        }
        guard let start = spans.map(\.0).min(), let end = spans.map(\.1).max() else { return nil }
        return Double(end &- start) / 1e6
    }

    private mutating func readMovie<Source: MediaContainers.ByteSource>(
        _ contents: ContainerContents<Source>, _ tallies: inout TrackTallies
    ) throws(ContainerError) {
        let tree = try BoxTree(contents.source)
        var facts = MovieFacts(boxes: tree.roots, isCutOff: tree.isCutOff)
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
            // What was read of a damaged file is worth showing.
            failure = error
        }
    }

    private mutating func readStream<Source: MediaContainers.ByteSource>(
        _ contents: ContainerContents<Source>, _ tallies: inout TrackTallies
    ) throws(ContainerError) {
        switch contents.format {
        case .packedAudio:
            let demuxer = PackedAudioDemuxer()
            try contents.push(into: &tallies, demuxer.push, demuxer.finish)
            packedFormat = demuxer.format
            startTimestamp = demuxer.startTimestamp.map { SecondsText.number($0, timescale: 90_000) }
            picture = demuxer.picture.map { ($0.mediaType, $0.data.count) }
        default:
            let demuxer = TransportStreamDemuxer()
            try contents.push(into: &tallies, demuxer.push, demuxer.finish)
            packetStride = demuxer.packetStride
        }
    }
}
