internal import HLS
public import MediaContainers

/// The input of a conversion to one file: a stream or a file.
public enum MovieSource<Bytes: ByteSource> {
    /// A stream, planned from its playlist.
    case playlist(StreamPlan)
    /// A media file.
    case file(SegmentFormat, Bytes)

    /// Identifies an input by its first bytes.
    ///
    /// - Parameters:
    ///   - choice: The selection from a multivariant playlist.
    ///   - base: The base URL of a playlist's references; nil means the playlist's location.
    ///   - isAvailable: A function that returns whether the segments of a media playlist can be read, given its URL.
    /// - Throws: `ContainerError`: `notThisFormat` if the input is neither a playlist nor a supported media file; the
    ///   errors of ``StreamPlan`` and of `resources`.
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
        let format = front.withUnsafeBytes { SegmentFormat.recognize($0, isWhole: probe == source.length) }
        guard let format else { throw ContainerError(.notThisFormat, "not a playlist, MP4, MPEG-TS or packed audio") }
        self = .file(format, source)
    }
}
