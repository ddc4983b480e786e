public import Foundation
public import MediaCache

/// What is to be recorded, and how.
public struct ChannelRequest: Sendable {
    /// What people call it.
    public var name: ChannelName
    /// The URL of a multivariant or a media playlist.
    public var url: ResourceURL
    /// In whose name it's asked for.
    public var identity: ProfileIdentity?
    /// Header fields for the URL's origin, by name.
    public var headers: [String: String]
    /// Which variant streams and renditions; the best pictures with all sound and subtitles unless set.
    public var selection: StreamSelection
    /// How much is kept.
    public var retention: Retention
    /// When recording is to end.
    public var endsAt: Date?
    /// Whether it ends with the stream.
    public var endsWithStream: Bool
    /// Whether the recording also ends when the playlists stop changing or are gone for good. Nil counts as false.
    var endsWhenUnchanged: Bool?
    /// Whether recording begins at once.
    public var starts: Bool

    /// Creates a request.
    public init(
        name: ChannelName, url: ResourceURL, identity: ProfileIdentity? = nil, headers: [String: String] = [:],
        selection: StreamSelection = StreamSelection(variants: .best, audio: .all, subtitles: .all),
        retention: Retention = Retention(), endsAt: Date? = nil, endsWithStream: Bool = true, starts: Bool = true
    ) {
        self.name = name
        self.url = url
        self.identity = identity
        self.headers = headers
        self.selection = selection
        self.retention = retention
        self.endsAt = endsAt
        self.endsWithStream = endsWithStream
        self.starts = starts
    }
}
