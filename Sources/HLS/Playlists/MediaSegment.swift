/// A media segment: its URI and the tags that apply to it (RFC 8216bis §4.4.4). To save memory, rare tags are in
/// ``tags``, and segments share their keys and maps.
public struct MediaSegment: Sendable, Hashable {
    /// The URI of the segment; empty in ``MediaPlaylist/upcoming``.
    public var uri: String
    /// The title as written, including leading blanks.
    var writtenTitle = ""
    /// The duration in seconds.
    public var duration: DecimalValue
    /// Whether a discontinuity precedes the segment (RFC 8216bis §4.4.4.3).
    public var isDiscontinuous = false
    /// Whether the segment isn't available (RFC 8216bis §4.4.4.7).
    public var isGap = false
    /// The byte range in two words, with -1 for an absent value. A `ByteRange?` would use three.
    private var rangeLength = -1
    private var rangeOffset = -1
    /// The tags that no other property stores, in order.
    public var tags: [SegmentTag] = []
    var conditions: SegmentConditions?

    /// Creates a segment with a duration in seconds.
    public init(uri: String, duration: DecimalValue) {
        self.uri = uri
        self.duration = duration
    }

    /// The human-readable title; empty if there is none.
    public var title: String {
        get { writtenTitle.trimmedBlanks }
        set { writtenTitle = newValue }
    }

    /// The byte range of the segment (RFC 8216bis §4.4.4.2); nil for the whole resource.
    public var byteRange: ByteRange? {
        get {
            rangeLength < 0 ? nil : ByteRange(length: rangeLength, offset: rangeOffset < 0 ? nil : rangeOffset)
        }
        set {
            rangeLength = newValue.map { max(0, $0.length) } ?? -1
            rangeOffset = newValue?.offset.map { max(0, $0) } ?? -1
        }
    }

    var hasByteRange: Bool { rangeLength >= 0 }

    /// The keys of the segment (RFC 8216bis §4.4.4.4). Without encryption, empty or one key with the method NONE.
    public var keys: [EncryptionKey] {
        get { conditions?.keys ?? [] }
        set { conditions = SegmentConditions(keys: newValue, map: map) }
    }

    /// The media initialization section (RFC 8216bis §4.4.4.5).
    public var map: MediaInitializationSection? {
        get { conditions?.map }
        set { conditions = SegmentConditions(keys: keys, map: newValue) }
    }
}

/// The keys and the media initialization section of consecutive segments, which share one instance.
final class SegmentConditions: Sendable, Hashable {
    let keys: [EncryptionKey]
    let map: MediaInitializationSection?

    /// Returns nil if there are no keys and no map.
    init?(keys: [EncryptionKey], map: MediaInitializationSection?) {
        if keys.isEmpty, map == nil { return nil }
        self.keys = keys
        self.map = map
    }

    /// Creates conditions with the URIs of the keys and the map replaced.
    init(mapping conditions: SegmentConditions, _ transform: (ReferenceRole, String) -> String) {
        keys = conditions.keys.map { $0.mappingURIs(of: .key, transform) }
        var map = conditions.map?.mappingURIs(of: .map, transform)
        if let keys = map?.keys { map?.keys = keys.map { $0.mappingURIs(of: .key, transform) } }
        self.map = map
    }

    static func == (left: SegmentConditions, right: SegmentConditions) -> Bool {
        left === right || left.keys == right.keys && left.map == right.map
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(keys)
        hasher.combine(map)
    }
}
