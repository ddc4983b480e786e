/// What a URL is, found out before anything is downloaded: for a person who is to choose.
public struct MediaProbe: Sendable, Hashable, Codable {
    /// A variant stream that may be chosen (RFC 8216bis §4.4.6.2).
    public struct Variant: Sendable, Hashable, Codable {
        /// What names this variant stream alone where downloads and recordings take one: its bandwidth.
        public var selection: String
        /// The peak bit rate in bits per second.
        public var bandwidth: Int
        /// How wide the picture is, in pixels.
        public var width: Int?
        /// How tall the picture is, in pixels.
        public var height: Int?
        /// Pictures per second.
        public var frameRate: Double?
        /// The codecs as RFC 6381 writes them, with commas between.
        public var codecs: String?
        /// Its length in bytes, estimated from its average bit rate and how long it lasts; nil for a live stream.
        public var length: Int64?
    }

    /// Sound or subtitles that may be chosen (RFC 8216bis §4.4.6.1).
    public struct Rendition: Sendable, Hashable, Codable {
        /// The language (RFC 5646).
        public var language: String?
        /// What a person calls it.
        public var name: String
        /// Whether it plays where nobody chooses.
        public var isDefault: Bool
    }

    /// The URL, without user information.
    public var url: String
    /// Whether it's a file or a stream.
    public var kind: Asset.Kind
    /// Whether it's a stream that still grows.
    public var isLive = false
    /// Whether its segments are encrypted.
    public var isEncrypted = false
    /// The media type.
    public var type: String
    /// The length in bytes of the file, or of the best variant stream, estimated.
    public var length: Int64?
    /// Whether ``length`` is known, and no estimate.
    public var lengthKnown = false
    /// How long it lasts in seconds, or how much of a live stream its playlist names.
    public var duration: Double?
    /// The variant streams, the best first; empty for a file and for a media playlist.
    public var variants: [Variant] = []
    /// The sound that may be chosen; empty where there's no choice.
    public var audio: [Rendition] = []
    /// The subtitles that may be chosen.
    public var subtitles: [Rendition] = []
    /// What a person should know before it's downloaded, a sentence each.
    public var notes: [String] = []
}
