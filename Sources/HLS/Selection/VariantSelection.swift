/// Which variant streams to take.
public enum VariantSelection: Sendable, Hashable {
    /// All.
    case all
    /// The one of the greatest bandwidth.
    case highest
    /// The one of the least bandwidth.
    case lowest
    /// The one of the greatest bandwidth up to a limit, in bits per second; the lowest where all are above it.
    case bandwidth(atMost: Int)
    /// The tallest up to a height, in pixels, and of those the highest; the least tall where all are taller. Streams
    /// without a resolution are taken only where none has one.
    case height(atMost: Int)
    /// Those of which a codec begins with a text: `avc1`, `hvc1.2`, `mp4a.40.2`.
    case codec(String)
    /// Those with audio renditions of a language (RFC 5646): `de` is also `de-CH`.
    case language(String)
}
