internal import MediaContainers

/// A change of the marks that users give an asset. Nil leaves a mark unchanged.
public struct AssetMarks: Sendable, Hashable {
    /// The position of playback in seconds. Below 5 s, playback begins at the start. From 95% of the duration on, the
    /// asset counts as watched.
    public var position: Double?
    /// The duration in seconds according to the player, for assets whose ``Asset/duration`` is unknown.
    public var duration: Double?
    /// Whether the asset is marked as watched.
    public var watched: Bool?
    /// The tags. White space around them, empty ones and repeated ones are removed.
    public var tags: [String]?

    /// The maximum number of tags of an asset.
    public static let maximumTags = 100

    /// Creates a change.
    public init(position: Double? = nil, duration: Double? = nil, watched: Bool? = nil, tags: [String]? = nil) {
        self.position = position
        self.duration = duration
        self.watched = watched
        self.tags = tags
    }

    /// Returns tags for display, without empty and repeated ones; nil if none are left.
    static func normalized(_ tags: [String]) -> [String]? {
        var known: Set<String> = []
        let names = tags.compactMap { MediaMetadata.text($0) }.filter { known.insert($0).inserted }.prefix(maximumTags)
        return names.isEmpty ? nil : Array(names)
    }
}
