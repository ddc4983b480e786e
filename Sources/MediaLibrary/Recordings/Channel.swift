public import Foundation
public import MediaCache

/// A live stream that is recorded, or was: where it comes from, what of it is wanted, and what is kept.
public struct Channel: Sendable, Hashable, Codable {
    /// One of its media playlists: a variant stream or a rendition.
    package struct Track: Sendable, Hashable, Codable {
        /// What its folder in URLs is called, as `video-1`.
        package var folder: String
        /// Where its playlist was found last.
        package var url: String
        /// The scope of what named it there; nil in records of earlier versions.
        package var scope: AddressScope?
        /// The URLs of redundant copies of its playlist, in order of preference; nil if there are none.
        package var copies: [String]?
        /// The rendition; nil for a variant stream, and in records of earlier versions.
        package var rendition: RenditionName?
        /// When the stream's own playlist named it first, by the stream's clock; nil in records of earlier versions.
        package var namedSince: Date?
        /// When the stream's own playlist was first seen without it, by the stream's clock; nil while it names it, and in
        /// records of earlier versions.
        package var namedUntil: Date?
    }

    /// The attributes by which a rendition is known whose URL changes (RFC 8216bis §4.4.6.1).
    package struct RenditionName: Sendable, Hashable, Codable {
        /// GROUP-ID.
        package var groupID: String
        /// NAME.
        package var name: String
        /// LANGUAGE; nil where there is none.
        package var language: String?
    }

    /// What its recording is called on the disk.
    package let id: RecordingID
    /// What people call it.
    public let name: ChannelName
    /// The URL of a multivariant or a media playlist, without user information.
    public var url: String
    /// In whose name it's asked for, where its origin tells users apart.
    public internal(set) var identity: ProfileIdentity? {
        get { identityName.flatMap(ProfileIdentity.init) }
        set { identityName = newValue?.description }
    }
    private var identityName: String?
    /// Header fields for the URL's origin, by name.
    public var headers: [String: String]
    /// Which variant streams and renditions are recorded.
    public var selection: StreamSelection
    /// How much is kept.
    public var retention: Retention
    /// Whether it's to be recorded.
    public internal(set) var isWanted: Bool
    /// When recording is to end; nil for no such time.
    public var endsAt: Date?
    /// Whether it ends at ``endsAt`` by the wall clock, without following the stream until it has come so far.
    var endsAtOnce: Bool?
    /// Whether a stream that says that it has ended ends the recording. Where not, it's followed further, since its
    /// encoder may start again.
    public var endsWithStream: Bool
    /// Whether the recording also ends when the playlists stop changing or are gone for good. Nil counts as false.
    var endsWhenUnchanged: Bool?
    /// Whether the stream had ended when its playlists were loaded last. Nil counts as false.
    var hasEndList: Bool?
    /// Whether its recording has ended: nothing will be added.
    public internal(set) var hasEnded = false
    /// Whether it has become an asset, having ended.
    var isAsset: Bool?
    /// When it was made.
    public let created: Date
    /// Windows that are kept whatever ``retention`` says.
    public internal(set) var programmes: [Programme] = []
    /// Its media playlists, when they are known.
    package var tracks: [Track] = []
    /// What their playlists may import (EXT-X-DEFINE, RFC 8216bis §4.4.2.3).
    var variables: [String: String]?
    /// What a player is given: a multivariant playlist that names the tracks' playlists. Empty until it's known.
    package var entry = ""

    /// A channel of which nothing is recorded yet.
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
    /// The URLs of all copies of its playlist, in order of preference.
    var urls: [ResourceURL] {
        get throws { try ([url] + (copies ?? [])).map { try ResourceURL($0) } }
    }
}
