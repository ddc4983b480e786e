import MediaContainers

/// What `inspect --json` prints of a container.
struct ContainerRecord: Encodable, Sendable {
    /// `mp4`, `transportStream` or `packedAudio`.
    var kind: String
    /// The length in bytes.
    var size: Int64
    /// Seconds from the first moment shown to the last.
    @Nullable var duration: Double?
    /// Bits per second over that time.
    @Nullable var bitRate: Int?
    /// MP4: whether the index comes before the media.
    @Nullable var fastStart: Bool?
    /// MP4: whether the samples are in fragments.
    @Nullable var fragmented: Bool?
    /// Transport stream: the distance between packets, in bytes.
    @Nullable var packetSize: Int?
    /// Packed audio: `adts`, `ac3`, `eac3` or `mpegAudio`.
    @Nullable var packedFormat: String?
    /// Packed audio: the time stamp of its first sample, in seconds on the stream's clock.
    @Nullable var timestamp: Double?
    /// The tracks.
    var tracks: [ContainerTrackRecord]
    /// Pictures in the metadata.
    var artwork: [ArtworkRecord]
    /// The ids of the protection systems that it names.
    var protectionSystems: [String]
    /// The boxes of an MP4.
    var boxes: [BoxRecord]
    /// What was wrong.
    var diagnostics: [ContainerDiagnosticRecord]
    /// Why reading ended before the container did.
    @Nullable var error: String?

    /// The record of a container.
    init(_ inspection: ContainerInspection) {
        kind =
            switch inspection.format {
            case .mp4: "mp4"
            case .transportStream: "transportStream"
            case .packedAudio: "packedAudio"
            }
        size = inspection.size
        duration = inspection.duration
        bitRate = ContainerReport.bitRate(inspection.size, inspection.duration)
        fastStart = inspection.movie?.hasIndexFirst
        fragmented = inspection.movie?.isFragmented
        packetSize = inspection.packetStride
        packedFormat = inspection.packedFormat?.rawValue
        timestamp = inspection.startTimestamp
        tracks = zip(inspection.tracks, inspection.tallies).enumerated().map {
            ContainerTrackRecord(index: $0.offset, $0.element.0, $0.element.1)
        }
        artwork = (inspection.movie?.artwork ?? []).map {
            ArtworkRecord(type: $0.format.rawValue, size: $0.range.upperBound - $0.range.lowerBound)
        }
        if let picture = inspection.picture {
            artwork.append(ArtworkRecord(type: picture.mediaType, size: Int64(picture.size)))
        }
        protectionSystems = inspection.movie?.protectionSystems ?? []
        boxes = (inspection.movie?.boxes ?? []).map(BoxRecord.init)
        diagnostics = inspection.diagnostics.map(ContainerDiagnosticRecord.init)
        error = inspection.failure.map { "\($0)" }
    }
}
