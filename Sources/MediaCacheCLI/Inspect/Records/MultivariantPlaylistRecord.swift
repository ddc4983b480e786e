import HLS

/// What a multivariant playlist has, in JSON.
struct MultivariantPlaylistRecord: Encodable, Sendable {
    /// The variant streams, in order.
    var variants: [VariantRecord]
    /// The I-frame playlists, in order.
    var iFrameVariants: [VariantRecord]
    /// The renditions, in order.
    var renditions: [RenditionRecord]
    /// The session data, in order.
    var sessionData: [SessionDataRecord]
    /// The keys to preload, in order.
    var sessionKeys: [KeyRecord]
    /// Where to ask which pathway to use.
    @Nullable var contentSteering: ContentSteeringRecord?

    /// The record of a playlist.
    init(_ playlist: MultivariantPlaylist) {
        variants = playlist.variants.map { VariantRecord($0) }
        iFrameVariants = playlist.iFrameStreams.map { VariantRecord($0) }
        renditions = playlist.renditions.map { RenditionRecord($0) }
        sessionData = playlist.sessionData.map { SessionDataRecord($0) }
        sessionKeys = playlist.sessionKeys.map { KeyRecord($0) }
        contentSteering = playlist.contentSteering.map { ContentSteeringRecord($0) }
    }
}
