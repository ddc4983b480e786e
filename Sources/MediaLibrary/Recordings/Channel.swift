public import Foundation
public import MediaCache

/// A recorded live stream: its source, settings, state and programmes.
public struct Channel: Sendable, Hashable, Codable {
    /// A media playlist of the channel: a variant stream or a rendition.
    package struct Track: Sendable, Hashable, Codable {
        /// The track's folder in URLs, for example `video-1`.
        package var folder: String
        /// The last known URL of the playlist.
        package var url: String
        /// The address scope of the document that contains the URL; nil in records of earlier versions.
        package var scope: AddressScope?
        /// The URLs of redundant copies of the playlist, in order of preference; nil if there are none.
        package var copies: [String]?
        /// The rendition; nil for other tracks, and in records of earlier versions.
        package var rendition: RenditionName?
        /// The time, by the stream's clock, at which the channel's playlist first listed the track; nil if unknown.
        package var namedSince: Date?
        /// The time, by the stream's clock, since which the channel's playlist hasn't listed the track; nil if it does.
        package var namedUntil: Date?
    }

    /// The attributes that identify a rendition whose URL changes (RFC 8216bis §4.4.6.1).
    package struct RenditionName: Sendable, Hashable, Codable {
        package var groupID: String
        package var name: String
        package var language: String?
    }

    /// The identifier in the names of the recording's files.
    package let id: RecordingID
    /// The name of the channel.
    public let name: ChannelName
    /// The URL of a multivariant or a media playlist, without user information.
    public var url: String
    /// The identity of the profile used for requests; nil for none.
    public internal(set) var identity: ProfileIdentity? {
        get { identityName.flatMap(ProfileIdentity.init) }
        set { identityName = newValue?.description }
    }
    private var identityName: String?
    /// The additional request header fields for the URL's origin, by name.
    public var headers: [String: String]
    /// The variant streams and renditions that are recorded.
    public var selection: StreamSelection
    /// The limits of the recording.
    public var retention: Retention
    /// Whether recording is turned on.
    public internal(set) var isWanted: Bool
    /// The time at which the recording ends; nil for no limit.
    public var endsAt: Date?
    /// Whether the recording ends at ``endsAt`` even if the stream hasn't reached that time. Nil means false.
    var endsAtOnce: Bool?
    /// Whether the recording ends when the stream ends. Otherwise, the recorder waits for the encoder to restart.
    public var endsWithStream: Bool
    /// Whether the recording also ends when the playlists stop changing or no longer exist. Nil means false.
    var endsWhenUnchanged: Bool?
    /// Whether the stream had ended when its playlists were last loaded. Nil means false.
    var hasEndList: Bool?
    /// Whether the recording has ended, so that no more segments are added.
    public internal(set) var hasEnded = false
    /// Whether the ended recording was added to the library as an asset. Nil means false.
    var isAsset: Bool?
    /// The date of creation.
    public let created: Date
    /// The pinned windows, which are exempt from ``retention``.
    public internal(set) var programmes: [Programme] = []
    /// The recorded media playlists; empty until the channel's playlist has been loaded.
    package var tracks: [Track] = []
    /// The variables that the tracks' playlists may import (EXT-X-DEFINE, RFC 8216bis §4.4.2.3).
    var variables: [String: String]?
    /// The multivariant playlist served to players, with the URI `<folder>/index.m3u8` for each track; initially empty.
    package var entry = ""

    init(_ request: ChannelRequest, created: Date) {
        id = RecordingID()
        name = request.name
        url = request.url.withoutUserInfo.description
        identityName = request.identity?.description
        headers = request.headers
        selection = request.selection
        retention = request.retention
        isWanted = request.starts
        endsAt = request.endsAt
        endsWithStream = request.endsWithStream
        endsWhenUnchanged = request.endsWhenUnchanged
        self.created = created
    }
}

extension Channel.Track {
    /// The URLs of all copies of the playlist, in order of preference.
    var urls: [ResourceURL] {
        get throws { try ([url] + (copies ?? [])).map { try ResourceURL($0) } }
    }
}

/// The name of a channel, which is also used in URLs. It consists of 1 to 64 ASCII letters, digits, dots, hyphens and
/// underscores, and doesn't begin with a dot.
public struct ChannelName: RawRepresentable, Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The text of the name.
    public let rawValue: String

    /// Creates a name; returns nil if the text isn't a valid name.
    public init?(rawValue: String) {
        guard (1...64).contains(rawValue.utf8.count), rawValue.first != ".",
            rawValue.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
        else { return nil }
        self.rawValue = rawValue
    }

    /// Creates the name that describes a stream best: the last descriptive component of the URL's path, otherwise the
    /// URL's host. Runs of characters that names can't contain become single hyphens.
    public init(derivedFrom url: ResourceURL) {
        var text = AssetTitle.title(for: url)
        if AssetTitle.isGeneric(text) { text = url.host }
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "._".contains($0))) }
        let name = words.joined(separator: "-").drop { $0 == "." }.prefix(64)
        rawValue = name.isEmpty ? "channel" : String(name)
    }

    /// Creates the name of the recording that downloads a live asset.
    init(_ asset: AssetID) { rawValue = asset.rawValue }

    /// The text of the name.
    public var description: String { rawValue }

    /// Orders names by their text.
    public static func < (left: ChannelName, right: ChannelName) -> Bool { left.rawValue < right.rawValue }
}

/// The limits of a recording. All limits that aren't nil apply together.
public struct Retention: Sendable, Hashable, Codable {
    /// The maximum age of a segment in seconds, counted from its arrival.
    public var seconds: Double?
    /// The maximum size of all tracks together, in bytes.
    public var bytes: Int64?
    /// The maximum number of segments per track. Gaps don't count.
    public var segments: Int?
    /// The minimum free space on the volume, in bytes.
    public var freeBytes: Int64?

    /// Creates limits. By default, none apply.
    public init(seconds: Double? = nil, bytes: Int64? = nil, segments: Int? = nil, freeBytes: Int64? = nil) {
        self.seconds = seconds
        self.bytes = bytes
        self.segments = segments
        self.freeBytes = freeBytes
    }
}

/// A channel to record, with its settings.
public struct ChannelRequest: Sendable {
    /// The name of the channel.
    public var name: ChannelName
    /// The URL of a multivariant or a media playlist.
    public var url: ResourceURL
    /// The identity of the profile used for requests; nil for none.
    public var identity: ProfileIdentity?
    /// The additional request header fields for the URL's origin, by name.
    public var headers: [String: String]
    /// The variant streams and renditions to record. The default is the best video with all audio and subtitles.
    public var selection: StreamSelection
    /// The limits of the recording.
    public var retention: Retention
    /// The time at which the recording ends; nil for no limit.
    public var endsAt: Date?
    /// Whether the recording ends when the stream ends.
    public var endsWithStream: Bool
    /// The value of ``Channel/endsWhenUnchanged`` for a new channel.
    var endsWhenUnchanged: Bool?
    /// Whether recording starts immediately.
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
