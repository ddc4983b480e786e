import HLS

/// EXT-X-SESSION-DATA in JSON.
struct SessionDataRecord: Encodable, Sendable {
    /// What the data is.
    @Nullable var dataID: String?
    /// The data itself.
    @Nullable var value: String?
    /// Where the data is.
    @Nullable var uri: String?
    /// How the data at the URI is written; JSON where null.
    @Nullable var format: String?
    /// The language of the value (RFC 5646).
    @Nullable var language: String?

    /// The record of a tag.
    init(_ data: SessionData) {
        dataID = data.attributes.text("DATA-ID")
        value = data.value
        uri = data.uri?.unlessEmpty
        format = data.format
        language = data.language
    }
}
