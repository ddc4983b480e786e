/// The definition of a tag, to which a ``PlaylistTag`` points.
final class TagDefinition: Sendable {
    /// The name without the number sign.
    let name: StaticString
    let rawValue: String
    let section: String
    let place: TagPlace
    /// Whether the tag decides the kind of a playlist, even after tags of the other kind.
    let decidesKind: Bool
    let attributes: [AttributeRule]
    /// The attributes that contain URIs.
    let uris: KeyValuePairs<AttributeName, ReferenceRole>
    /// The attributes of a ``TagRecord``.
    let recordedAttributes: [AttributeRule]
    /// Whether a ``TagRecord`` includes other attributes, as `otherAttributes`.
    let recordsOtherAttributes: Bool
    /// The keys of a segment tag in JSON records of segments.
    let segmentKeys: [RecordKey<ResolvedSegment>]
    /// The keys of a segment tag in JSON records of media playlists.
    let playlistKeys: [RecordKey<MediaPlaylist>]
    let localRemoval: LocalRemoval
    /// Whether recordings store a segment tag that remains in local playlists.
    let isRecorded: Bool
    /// Returns the lowest protocol version for a tag with the given attributes (RFC 8216bis §8).
    let requiredVersion: @Sendable (AttributeList) -> Int

    init(
        name: StaticString, section: String, place: TagPlace, decidesKind: Bool, attributes: [AttributeRule],
        uris: KeyValuePairs<AttributeName, ReferenceRole>, recordedAttributes: [AttributeRule],
        recordsOtherAttributes: Bool, segmentKeys: [RecordKey<ResolvedSegment>],
        playlistKeys: [RecordKey<MediaPlaylist>], localRemoval: LocalRemoval, isRecorded: Bool,
        requiredVersion: @escaping @Sendable (AttributeList) -> Int
    ) {
        self.name = name
        rawValue = name.description
        self.section = section
        self.place = place
        self.decidesKind = decidesKind
        self.attributes = attributes
        self.uris = uris
        self.recordedAttributes = recordedAttributes
        self.recordsOtherAttributes = recordsOtherAttributes
        self.segmentKeys = segmentKeys
        self.playlistKeys = playlistKeys
        self.localRemoval = localRemoval
        self.isRecorded = isRecorded
        self.requiredVersion = requiredVersion
    }
}

/// The place of a tag in playlists (RFC 8216bis §4.4.1 to §4.4.6), with the code that reads the tag.
enum TagPlace: Sendable {
    typealias Read<Target> =
        @Sendable (_ target: inout Target, _ item: LineReader.Item, _ reader: inout LineReader)
        throws(PlaylistError) -> Void

    /// The first line of any playlist.
    case firstLine
    /// A playlist-level tag that both kinds of playlist may have.
    case anyPlaylist(TagField<CommonTags>)
    /// A playlist-level tag of a media playlist, written before or after the segments.
    case mediaPlaylist(TagField<MediaPlaylist>, followsSegments: Bool = false)
    /// A tag that applies to the next segment, or to all segments from the next one on.
    case mediaSegment(Read<MediaPlaylistParser>)
    /// A tag of a multivariant playlist.
    case multivariantPlaylist(EntryField)
}

/// The condition under which a tag is removed from local playlists, which play from a cache instead of the origin.
enum LocalRemoval: Sendable {
    case never
    case always
    /// If the tag seems to contain a reference, which would lead to the origin.
    case ifReferring

    func applies(to text: @autoclosure () -> String?) -> Bool {
        switch self {
        case .never: false
        case .always: true
        case .ifReferring: text()?.seemsToContainReference ?? false
        }
    }
}

extension String {
    /// Whether the text seems to contain a reference to the origin.
    package var seemsToContainReference: Bool {
        contains("://") || contains("URI=") || contains("X-ASSET-LIST=")
    }
}

/// A key in JSON records of playlists.
struct RecordKey<Target>: Sendable {
    typealias Value =
        @Sendable (_ target: Target, _ tag: PlaylistTag, _ ranges: inout PartByteRanges) -> TagRecord.Value

    let name: String
    /// The keys of the value in help; nil for the attributes of the tag.
    let details: [String]?
    /// Returns the value. `ranges` continues the byte ranges of the parts in earlier segments.
    let value: Value

    init(_ name: String, details: [String]? = nil, value: @escaping Value) {
        self.name = name
        self.details = details
        self.value = value
    }
}

/// The entries of a multivariant playlist that store a tag.
final class EntryField: Sendable {
    let read: TagPlace.Read<MultivariantPlaylistParser>
    /// Creates an entry from the attributes of the tag.
    let entry: @Sendable (AttributeList) -> MultivariantPlaylist.Entry
    /// The key of the entries in JSON records of playlists.
    let key: String
    /// The keys of an entry in help; nil for the attributes of the tag.
    let details: [String]?
    /// Whether JSON records contain only the first entry, instead of a list.
    let isSingle: Bool
    /// Returns the text that ``LocalRemoval/ifReferring`` checks.
    let checkedText: @Sendable (AttributeList) -> String?

    init(
        _ key: String, details: [String]? = nil, isSingle: Bool = false,
        checkedText: @escaping @Sendable (AttributeList) -> String? = { $0.description },
        read: TagPlace.Read<MultivariantPlaylistParser>? = nil,
        entry: @escaping @Sendable (AttributeList) -> MultivariantPlaylist.Entry
    ) {
        if let read {
            self.read = read
        } else {
            self.read = { (parser, item, reader) throws(PlaylistError) in
                parser.playlist.entries.append(entry(try reader.attributes(item)))
            }
        }
        self.entry = entry
        self.key = key
        self.details = details
        self.isSingle = isSingle
        self.checkedText = checkedText
    }
}

/// A property that stores a playlist-level tag. It's a class, so that a ``TagPlace`` is cheap to copy.
final class TagField<Target>: Sendable {
    /// Whether a playlist may have the tag only once.
    let isUnique: Bool
    let read: TagPlace.Read<Target>
    /// Writes the tag, once for each element of a list.
    let write: @Sendable (_ target: Target, _ tag: PlaylistTag, _ lines: inout LineWriter) -> Void
    /// The key of the property in JSON records of playlists.
    let key: String
    /// The keys of the value in help; nil for the attributes of the tag.
    let details: [String]?
    let value: @Sendable (_ target: Target, _ tag: PlaylistTag) -> TagRecord.Value
    /// Returns the lowest protocol version for the property's value (RFC 8216bis §8).
    let requiredVersion: @Sendable (_ target: Target, _ tag: PlaylistTag) -> Int

    init(
        _ key: String, details: [String]? = nil, isUnique: Bool = true, read: @escaping TagPlace.Read<Target>,
        write: @escaping @Sendable (_ target: Target, _ tag: PlaylistTag, _ lines: inout LineWriter) -> Void,
        value: @escaping @Sendable (_ target: Target, _ tag: PlaylistTag) -> TagRecord.Value,
        requiredVersion: @escaping @Sendable (_ target: Target, _ tag: PlaylistTag) -> Int = { _, _ in 1 }
    ) {
        self.isUnique = isUnique
        self.read = read
        self.write = write
        self.key = key
        self.details = details
        self.value = value
        self.requiredVersion = requiredVersion
    }

    /// Returns the field of a tag without a value. The property is true if the tag is present.
    static func flag(
        _ key: String, _ path: any WritableKeyPath<Target, Bool> & Sendable, requiredVersion: Int = 1
    ) -> TagField {
        TagField(
            key,
            read: { target, _, _ in target[keyPath: path] = true },
            write: { target, tag, lines in if target[keyPath: path] { lines.tag(tag) } },
            value: { target, _ in .flag(target[keyPath: path]) },
            requiredVersion: { target, _ in target[keyPath: path] ? requiredVersion : 1 })
    }

    /// Returns the field of a decimal integer. Values below `minimum` are ignored.
    static func integer(
        _ key: String, _ path: any WritableKeyPath<Target, Int?> & Sendable, atLeast minimum: Int
    ) -> TagField {
        TagField(
            key,
            read: { (target, item, reader) throws(PlaylistError) in
                guard let number = try reader.integer(item), number >= minimum else { return }
                target[keyPath: path] = number
            },
            write: { target, tag, lines in if let number = target[keyPath: path] { lines.tag(tag, number) } },
            value: { target, _ in target[keyPath: path].map { .integer($0) } ?? .null })
    }

    /// Returns the field of a decimal integer that defaults to 0. The default is written if `writesDefault` returns
    /// true.
    static func integer(
        _ key: String, _ path: any WritableKeyPath<Target, Int> & Sendable,
        writesDefault: @escaping @Sendable (Target) -> Bool = { _ in false }
    ) -> TagField {
        TagField(
            key,
            read: { (target, item, reader) throws(PlaylistError) in
                if let number = try reader.integer(item) { target[keyPath: path] = number }
            },
            write: { target, tag, lines in
                let number = target[keyPath: path]
                if number != 0 || writesDefault(target) { lines.tag(tag, number) }
            },
            value: { target, _ in .integer(target[keyPath: path]) })
    }

    /// Returns the field of a tag with attributes. `value` returns the JSON value.
    static func attributes<Value: AttributeTag>(
        _ key: String, _ path: any WritableKeyPath<Target, Value?> & Sendable,
        value: @escaping @Sendable (_ value: Value, _ tag: PlaylistTag) -> TagRecord.Value = {
            .record(TagRecord($1, $0.attributes))
        }
    ) -> TagField {
        TagField(
            key,
            read: { (target, item, reader) throws(PlaylistError) in
                target[keyPath: path] = Value(attributes: try reader.attributes(item))
            },
            write: { target, tag, lines in if let value = target[keyPath: path] { lines.tag(tag, value.attributes) } },
            value: { target, tag in target[keyPath: path].map { value($0, tag) } ?? .null },
            requiredVersion: { target, tag in
                target[keyPath: path].map { tag.definition.requiredVersion($0.attributes) } ?? 1
            })
    }

    /// Returns the field of a tag with attributes that a playlist may have more than once.
    static func list<Value: AttributeTag>(
        _ key: String, _ path: any WritableKeyPath<Target, [Value]> & Sendable, details: [String]? = nil,
        read: @escaping TagPlace.Read<Target>
    ) -> TagField {
        TagField(
            key, details: details, isUnique: false, read: read,
            write: { target, tag, lines in
                for value in target[keyPath: path] { lines.tag(tag, value.attributes) }
            },
            value: { target, tag in
                .records(target[keyPath: path].map { TagRecord(tag, $0.attributes) })
            },
            requiredVersion: { target, tag in
                target[keyPath: path].map { tag.definition.requiredVersion($0.attributes) }.max() ?? 1
            })
    }

    static func list<Value: AttributeTag>(
        _ key: String, _ path: any WritableKeyPath<Target, [Value]> & Sendable
    ) -> TagField {
        list(
            key, path,
            read: { (target, item, reader) throws(PlaylistError) in
                target[keyPath: path].append(Value(attributes: try reader.attributes(item)))
            })
    }
}

extension AttributeList {
    /// Returns the attributes of a tag with their URIs replaced. Empty URIs stay unchanged, since an empty reference
    /// would resolve to the playlist itself.
    func mappingURIs(of tag: PlaylistTag, _ transform: (ReferenceRole, String) -> String) -> AttributeList {
        var list = self
        for (name, role) in tag.definition.uris {
            guard let uri = text(name), !uri.isEmpty else { continue }
            list.setQuoted(transform(role, uri), for: name)
        }
        return list
    }
}

extension AttributeTag {
    func mappingURIs(of tag: PlaylistTag, _ transform: (ReferenceRole, String) -> String) -> Self {
        guard !tag.definition.uris.isEmpty else { return self }
        var copy = self
        copy.attributes = attributes.mappingURIs(of: tag, transform)
        return copy
    }
}
