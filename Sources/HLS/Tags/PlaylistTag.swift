/// A known playlist tag: a tag defined in RFC 8216bis §4.4, or a widely used advertisement cue tag.
public struct PlaylistTag: RawRepresentable, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// An uncounted reference, since parsers copy tags often. Definitions are never freed.
    private let pointer: Unmanaged<TagDefinition>

    init(
        _ name: StaticString, section: String, place: TagPlace, decidesKind: Bool = false,
        attributes: [AttributeRule] = [],
        uris: KeyValuePairs<AttributeName, ReferenceRole> = [:],
        recordedAttributes: [AttributeRule]? = nil, recordsOtherAttributes: Bool = false,
        segmentKeys: [RecordKey<ResolvedSegment>] = [], playlistKeys: [RecordKey<MediaPlaylist>] = [],
        localRemoval: LocalRemoval = .ifReferring, isRecorded: Bool = true,
        requiredVersion: @escaping @Sendable (AttributeList) -> Int = { _ in 1 }
    ) {
        pointer = .passRetained(
            TagDefinition(
                name: name, section: section, place: place, decidesKind: decidesKind, attributes: attributes,
                uris: uris, recordedAttributes: recordedAttributes ?? attributes,
                recordsOtherAttributes: recordsOtherAttributes, segmentKeys: segmentKeys, playlistKeys: playlistKeys,
                localRemoval: localRemoval, isRecorded: isRecorded, requiredVersion: requiredVersion))
    }

    /// Finds a tag by its name without the number sign, such as `EXTINF`. Returns nil if the tag is unknown.
    public init?(rawValue: String) {
        guard let tag = rawValue.withBytes({ PlaylistTag($0, 0..<$0.count) }) else { return nil }
        self = tag
    }

    /// All known tags. Playlist-level tags are written in this order.
    public static let allCases: [PlaylistTag] = [
        .header, .version, .define, .independentSegments, .start,
        .targetDuration, .serverControl, .partInformation, .mediaSequence, .discontinuitySequence, .playlistType,
        .iFramesOnly, .skip,
        .segment, .byteRange, .discontinuity, .key, .map, .programDateTime, .gap, .bitrate, .part, .dateRange,
        .cueOut, .cueOutContinued, .cueIn, .cueSpan, .oatclsSCTE35, .scte35, .xSCTE35,
        .preloadHint, .renditionReport, .endList,
        .media, .streamInformation, .iFrameStreamInformation, .sessionData, .sessionKey, .contentSteering,
    ]

    var definition: TagDefinition { pointer.takeUnretainedValue() }

    /// The name without the number sign: `EXTINF`.
    public var rawValue: String { definition.rawValue }

    /// The section of RFC 8216bis that defines the tag; `4.1` for a tag outside the RFC.
    public var section: String { definition.section }

    /// The name without the number sign: `EXTINF`.
    public var description: String { rawValue }

    /// The kind of playlist that the tag belongs to; nil for a tag that both kinds share.
    var kind: PlaylistKind? {
        switch definition.place {
        case .firstLine, .anyPlaylist: nil
        case .mediaPlaylist, .mediaSegment: .media
        case .multivariantPlaylist: .multivariant
        }
    }

    /// Returns whether two tags have the same definition.
    public static func == (left: PlaylistTag, right: PlaylistTag) -> Bool {
        left.pointer.toOpaque() == right.pointer.toOpaque()
    }

    /// Hashes the identity of the definition.
    public func hash(into hasher: inout Hasher) { hasher.combine(pointer.toOpaque()) }
}

extension PlaylistTag {
    /// The tags by the length of their names, so that a lookup rarely compares more than one name.
    private static let byLength: [[PlaylistTag]] = {
        let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0
        return (0...longest).map { length in allCases.filter { $0.rawValue.utf8.count == length } }
    }()

    init?(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) {
        guard name.count < PlaylistTag.byLength.count else { return nil }
        for tag in PlaylistTag.byLength[name.count] where bytes.has(tag.definition.name, at: name.lowerBound) {
            self = tag
            return
        }
        return nil
    }
}
