/// A picture in a file's metadata: `covr` in iTunes-style metadata.
public struct Artwork: Sendable, Hashable {
    /// The picture's format, by the metadata's type code or the first bytes.
    public enum Format: String, Sendable, Hashable {
        /// JPEG.
        case jpeg
        /// PNG.
        case png
        /// Something else.
        case other
    }

    /// The picture's format.
    public var format: Format
    /// Where its bytes lie in the file.
    public var range: Range<Int64>
}
