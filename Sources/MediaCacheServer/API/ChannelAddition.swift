public import Foundation
public import MediaLibrary

/// The body of `POST /api/v1/channels`: record a live stream.
public struct ChannelAddition: Codable, Sendable, Hashable {
    /// What to call it: 1 to 64 letters, digits, dots, hyphens and underscores, the first no dot.
    public var name: String
    /// The URL of a multivariant or media playlist.
    public var url: String
    /// Which variant streams; as for downloads. Null is `best`.
    public var variant: String?
    /// Which sound; as for downloads. Null is `all`.
    public var audio: String?
    /// Which subtitles; as for downloads. Null is `all`.
    public var subtitles: String?
    /// Header fields for the URL's origin, by name. They are kept with the channel, and never told again.
    public var headers: [String: String]?
    /// How much of it is kept. Null is all.
    public var retention: Retention?
    /// When recording is to end. Null is never.
    public var endsAt: Date?
    /// Whether a stream that ends ends the recording. Null is yes.
    public var endsWithStream: Bool?
    /// Whether it waits until somebody starts it.
    public var stopped: Bool?

    /// Creates a request.
    public init(
        name: String, url: String, variant: String? = nil, audio: String? = nil, subtitles: String? = nil,
        headers: [String: String]? = nil, retention: Retention? = nil, endsAt: Date? = nil,
        endsWithStream: Bool? = nil, stopped: Bool? = nil
    ) {
        self.name = name
        self.url = url
        self.variant = variant
        self.audio = audio
        self.subtitles = subtitles
        self.headers = headers
        self.retention = retention
        self.endsAt = endsAt
        self.endsWithStream = endsWithStream
        self.stopped = stopped
    }
}
