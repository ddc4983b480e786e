import HLS

/// EXT-X-PRELOAD-HINT in JSON.
struct PreloadHintRecord: Encodable, Sendable {
    /// PART or MAP.
    @Nullable var type: String?
    /// Where the resource will be.
    @Nullable var uri: String?
    /// The first byte; the resource's first where null.
    @Nullable var byteRangeStart: Int?
    /// How many bytes; to the end where null.
    @Nullable var byteRangeLength: Int?

    /// The record of a tag.
    init(_ hint: PreloadHint) {
        type = hint.attributes.text("TYPE")
        uri = hint.uri.unlessEmpty
        byteRangeStart = hint.byteRangeStart
        byteRangeLength = hint.byteRangeLength
    }
}
