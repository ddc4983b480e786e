internal import MediaContainers

/// The JSON record of a container. Durations and times are in seconds, sizes in bytes.
package struct ContainerRecord: Encodable, Sendable {
    /// An image in the metadata.
    package struct ArtworkRecord: Encodable, Sendable {
        /// `jpeg`, `png`, `other`, or a media type.
        var type: String
        var size: Int64
    }

    /// `mp4`, `transportStream` or `packedAudio`.
    package let kind: String
    package let size: Int64
    /// See ``ContainerInspection/duration``.
    @Nullable package private(set) var duration: Double?
    /// The average bit rate in bits per second.
    @Nullable package private(set) var bitRate: Int?
    /// Whether the index of an MP4 precedes the media.
    @Nullable package private(set) var fastStart: Bool?
    @Nullable package private(set) var fragmented: Bool?
    /// The distance between the packets of a transport stream.
    @Nullable package private(set) var packetSize: Int?
    /// The format of packed audio: `adts`, `ac3`, `eac3` or `mpegAudio`.
    @Nullable package private(set) var packedFormat: String?
    /// The timestamp of the first sample of packed audio on the stream's clock.
    @Nullable package private(set) var timestamp: Double?
    package let tracks: [ContainerTrackRecord]
    package private(set) var artwork: [ArtworkRecord]
    package let protectionSystems: [String]
    package let boxes: [BoxRecord]
    package let diagnostics: [ContainerDiagnosticRecord]
    /// The error that ended reading before the end of the container.
    @Nullable package private(set) var error: String?

    package init(_ inspection: ContainerInspection) {
        kind =
            switch inspection.format {
            case .mp4: "mp4"
            case .transportStream: "transportStream"
            case .packedAudio: "packedAudio"
            }
        size = inspection.size
        duration = inspection.duration
        bitRate = Self.bitRate(inspection.size, inspection.duration)
        fastStart = inspection.movie?.hasIndexFirst
        fragmented = inspection.movie?.isFragmented
        packetSize = inspection.packetStride
        packedFormat = inspection.packedFormat?.rawValue
        timestamp = inspection.startTimestamp
        tracks = inspection.trackRecords
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

    /// Returns the average bit rate in bits per second; nil for an unknown duration.
    static func bitRate(_ bytes: Int64, _ seconds: Double?) -> Int? {
        guard let seconds, seconds > 0, bytes > 0 else { return nil }
        let rate = Double(bytes) * 8 / seconds
        return rate < 1e15 ? Int(rate.rounded()) : nil
    }
}

extension ContainerInspection {
    var trackRecords: [ContainerTrackRecord] {
        zip(tracks, tallies).enumerated().map {
            ContainerTrackRecord(index: $0.offset, $0.element.0, $0.element.1)
        }
    }
}

/// The JSON record of a track.
package struct ContainerTrackRecord: Encodable, Sendable {
    package let index: Int
    /// The ID in the container: the track ID of an MP4, the PID of a transport stream.
    package let id: UInt32
    /// `video`, `audio`, `text` or `data`.
    package let kind: String
    /// The codec of the first format (RFC 6381); the name of the format if it isn't supported.
    @Nullable package private(set) var codec: String?
    /// The formats of the samples. A track has several if its format changes.
    package let formats: [ContainerFormatRecord]
    package let timescale: Int32
    /// The earliest presentation time.
    @Nullable package private(set) var start: Double?
    /// The duration from the earliest presentation time to the end of the last sample; without samples, the declared
    /// duration.
    @Nullable package private(set) var duration: Double?
    /// The frames per second; null unless the track is video.
    @Nullable package private(set) var frameRate: Double?
    @Nullable package private(set) var language: String?
    package let samples: Int
    /// The number of samples at which decoding can start.
    package let syncSamples: Int
    /// The number of samples that an edit list hides.
    package let hiddenSamples: Int
    package let bytes: Int64
    /// The average bit rate in bits per second.
    @Nullable package private(set) var bitRate: Int?

    init(index: Int, _ track: MediaTrack, _ tally: TrackTally) {
        self.index = index
        id = track.id
        kind = track.kind.rawValue
        codec = (track.isSupported ? track.format?.codecString : track.format?.name)?.unlessEmpty
        formats = track.formats.map(ContainerFormatRecord.init)
        let timescale = track.timescale
        self.timescale = timescale
        start = tally.start.map { SecondsText.number($0, timescale: timescale) }
        duration = (tally.duration ?? track.duration).map { SecondsText.number($0, timescale: timescale) }
        frameRate = track.kind == .video ? track.frameRate ?? tally.frameRate(timescale: timescale) : nil
        language = track.language
        samples = tally.samples
        syncSamples = tally.syncSamples
        hiddenSamples = tally.hiddenSamples
        bytes = tally.bytes
        bitRate = ContainerRecord.bitRate(tally.bytes, duration)
    }
}

/// The JSON record of a sample format.
package struct ContainerFormatRecord: Encodable, Sendable {
    /// The codec (RFC 6381).
    @Nullable package private(set) var codec: String?
    /// The type of the sample entry in MP4.
    @Nullable package private(set) var sampleEntry: String?
    @Nullable package private(set) var width: Int?
    @Nullable package private(set) var height: Int?
    /// The audio samples per second.
    @Nullable package private(set) var sampleRate: Int?
    @Nullable package private(set) var channels: Int?
    /// The positions of the speakers: `stereo`, `5.1`.
    @Nullable package private(set) var channelLayout: String?
    /// The scheme type of Common Encryption (ISO/IEC 23001-7): `cenc`, `cens`, `cbc1` or `cbcs`; nil if the samples
    /// aren't encrypted.
    @Nullable package private(set) var encryption: String?

    init(_ format: MediaFormat) {
        codec = format.codecString.unlessEmpty
        sampleEntry = "\(format.sampleEntry)".allSatisfy { $0 == " " } ? nil : "\(format.sampleEntry)"
        width = format.width > 0 ? format.width : nil
        height = format.height > 0 ? format.height : nil
        sampleRate = format.sampleRate > 0 ? format.sampleRate : nil
        channels = format.channels > 0 ? format.channels : nil
        channelLayout = format.channelLayout
        encryption = format.protection.map { "\($0.scheme)" }
    }
}

/// The JSON record of a box.
package struct BoxRecord: Encodable, Sendable {
    /// The type: four characters, or the extended type of a `uuid` box.
    package let type: String
    package let offset: Int64
    /// The size, including the header.
    package let size: Int64
    @Nullable package private(set) var version: UInt8?
    @Nullable package private(set) var flags: UInt32?
    package let boxes: [BoxRecord]

    init(_ node: BoxNode) {
        type = node.header.userType.map { "\($0)" } ?? "\(node.header.type)"
        offset = node.header.offset
        size = node.header.size
        version = node.version
        flags = node.flags
        boxes = node.children.map(BoxRecord.init)
    }
}

/// The JSON record of a diagnostic.
package struct ContainerDiagnosticRecord: Encodable, Sendable {
    package let code: String
    package let message: String
    /// The approximate offset in bytes.
    package let offset: Int64
    /// The ID of the track; null for damage of the whole container.
    @Nullable package private(set) var track: UInt32?

    init(_ diagnostic: ContainerDiagnostic) {
        code = diagnostic.code.rawValue
        message = diagnostic.summary
        offset = diagnostic.offset
        track = diagnostic.track
    }
}
