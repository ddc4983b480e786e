import HLS

/// EXT-X-MAP in JSON.
struct MapRecord: Encodable, Sendable {
    /// Where the media initialization section is.
    @Nullable var uri: String?
    /// Its bytes; null for a whole resource.
    @Nullable var byteRange: ByteRangeRecord?

    /// The record of a section.
    init(_ map: MediaInitializationSection) {
        uri = map.uri.unlessEmpty
        byteRange = map.byteRange.map(ByteRangeRecord.init)
    }
}
