/// The body of `POST /api/v1/downloads`: make an asset complete, and keep it.
public struct DownloadAddition: Codable, Sendable, Hashable {
    /// The URL of a file, or of a multivariant or media playlist.
    public var url: String
    /// What to call it; null takes a name from the URL.
    public var title: String?
    /// Of a stream, which variant streams: `best`, `worst`, `all`, the tallest up to a height in pixels (a number below
    /// 10,000), or the one of the greatest bandwidth up to a limit in bits per second. Null is `best`.
    public var variant: String?
    /// Which sound: `standard`, `all`, `none`, or languages (RFC 5646) with commas between. Null is `standard`.
    public var audio: String?
    /// Which subtitles; as `audio`. Null is `all`.
    public var subtitles: String?
    /// Header fields for the URL's origin, by name. They are kept with the asset, and never told again.
    public var headers: [String: String]?
    /// What goes first: the greater. Null is 0.
    public var priority: Int?
    /// Whether it waits until somebody resumes it.
    public var paused: Bool?
    /// How many seconds a stream that still grows is followed. Null follows it to its end.
    public var seconds: Double?

    /// Creates a request.
    public init(
        url: String, title: String? = nil, variant: String? = nil, audio: String? = nil, subtitles: String? = nil,
        headers: [String: String]? = nil, priority: Int? = nil, paused: Bool? = nil,
        seconds: Double? = nil
    ) {
        self.url = url
        self.title = title
        self.variant = variant
        self.audio = audio
        self.subtitles = subtitles
        self.headers = headers
        self.priority = priority
        self.paused = paused
        self.seconds = seconds
    }
}
