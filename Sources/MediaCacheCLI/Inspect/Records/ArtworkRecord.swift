/// A picture in a container's metadata, in JSON.
struct ArtworkRecord: Encodable, Sendable {
    /// `jpeg`, `png`, `other`, or a media type.
    var type: String
    /// Its bytes.
    var size: Int64
}
