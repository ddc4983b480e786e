internal import HLS
public import MediaContainers

/// What something is that is to become one file.
public enum MovieSource<Bytes: MediaContainers.ByteSource> {
    /// A stream, by its playlist.
    case playlist(StreamPlan)
    /// A file of media.
    case file(SegmentFormat, Bytes)

    /// Finds out, by the first bytes.
    ///
    /// - Parameters:
    ///   - url: a file or a playlist.
    ///   - choice: what is taken of a multivariant playlist.
    ///   - base: what a playlist's references resolve against; nil is where it came from.
    ///   - resources: where it's read.
    ///   - isAvailable: whether a media playlist's stream can be read, by the playlist's URL.
    /// - Throws: `ContainerError`: `notThisFormat` for what is neither, and what ``StreamPlan`` throws.
    public init<Resources: StreamResources>(
        of url: String, choice: StreamChoice = StreamChoice(), base: String? = nil, resources: Resources,
        isAvailable: (String) -> Bool = { _ in true }
    ) throws(ContainerError) where Resources.Bytes == Bytes {
        let source = try resources.bytes(of: url, range: nil)
        let probe = min(source.length, Int64(SegmentFormat.probeLength))
        let front = try source.bytes(0..<probe, limit: SegmentFormat.probeLength)
        if case .playlist = BodyKind(of: front) {
            self = .playlist(
                try StreamPlan(
                    playlist: url, choice: choice, base: base, resources: resources, isAvailable: isAvailable))
            return
        }
        let format = front.withUnsafeBytes { SegmentFormat.recognise($0, isWhole: probe == source.length) }
        guard let format else {
            throw ContainerError(.notThisFormat, "it is neither a playlist nor MP4, MPEG-TS or packed audio")
        }
        self = .file(format, source)
    }
}
