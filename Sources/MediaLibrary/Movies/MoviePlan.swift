internal import HLS
public import MediaContainers

/// How something becomes one MP4: by moving the samples of a file that has an index of its own, or by remuxing.
public enum MoviePlan<Bytes: MediaContainers.ByteSource> {
    /// An MP4 or QuickTime file, whose samples stay as they are.
    case file(MP4Reader<Bytes>)
    /// A stream, or a file of another format: its parts are demuxed and joined.
    case stream(StreamPlan)

    /// Finds out which.
    ///
    /// - Parameters:
    ///   - url: a file or a playlist.
    ///   - choice: what is taken of a multivariant playlist.
    ///   - base: what a playlist's references resolve against; nil is where it came from.
    ///   - resources: where it's read.
    ///   - isAvailable: whether a media playlist's stream can be read, by the playlist's URL.
    /// - Throws: `ContainerError`: `notThisFormat` for what is none of these, and what ``StreamPlan`` throws.
    public init<Resources: StreamResources>(
        of url: String, choice: StreamChoice = StreamChoice(), base: String? = nil, resources: Resources,
        isAvailable: (String) -> Bool = { _ in true }
    ) throws(ContainerError) where Resources.Bytes == Bytes {
        let source = try resources.bytes(of: url, range: nil)
        let probe = min(source.length, Int64(SegmentFormat.probeLength))
        let front = try source.bytes(0..<probe, limit: SegmentFormat.probeLength)
        if case .playlist = BodyKind(of: front) {
            self = .stream(
                try StreamPlan(
                    playlist: url, choice: choice, base: base, resources: resources, isAvailable: isAvailable))
            return
        }
        guard front.withUnsafeBytes({ SegmentFormat.recognise($0, isWhole: probe == source.length) }) != nil else {
            throw ContainerError(
                .notThisFormat, "\(url) is neither a playlist nor MP4, MPEG-TS or packed audio")
        }
        let isMP4 = front.withUnsafeBytes { MP4Format.isRecognised($0) }
        self = isMP4 ? .file(try MP4Reader(source)) : .stream(StreamPlan(inputs: [[StreamPart(url: url)]]))
    }
}
