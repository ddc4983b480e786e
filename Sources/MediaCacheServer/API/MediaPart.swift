/// Bytes of what lies at a play URL.
public struct MediaPart: Sendable, Hashable {
    /// Where the bytes begin in it.
    public var offset: Int64
    /// The bytes.
    public var bytes: [UInt8]
    /// How many bytes there are in all; nil where the origin doesn't say.
    public var completeLength: Int64?
    /// The media type.
    public var contentType: String
    /// By what this version is told from others.
    public var entityTag: String?
}
