import MediaContainers

/// How samples of a track are coded, in JSON.
struct ContainerFormatRecord: Encodable, Sendable {
    /// The codec (RFC 6381).
    @Nullable var codec: String?
    /// The type of the sample entry in MP4.
    @Nullable var sampleEntry: String?
    /// Pixels.
    @Nullable var width: Int?
    /// Pixels.
    @Nullable var height: Int?
    /// Samples of sound in a second.
    @Nullable var sampleRate: Int?
    /// Channels of sound.
    @Nullable var channels: Int?
    /// Where their speakers are: `stereo`, `5.1`.
    @Nullable var channelLayout: String?
    /// The scheme of its encryption: `cenc`, `cbcs`.
    @Nullable var encryption: String?

    /// The record of a format.
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
