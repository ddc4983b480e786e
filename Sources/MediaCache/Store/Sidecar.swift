import Foundation

/// A file with the data of a pinned representation's catalog record that can't be obtained again. A damaged catalog is
/// rebuilt from such files.
struct Sidecar: Codable, Sendable {
    var key: String
    var url: String
    var created: Date
    var blob: String
    var length: Int64?
    var contentType: String
    var validator: Validator
    var validatedAt: Date
    var entityTag: String
    var spans: Data
    var checksumPages: [Int64: Data]
    /// Whether the origin has another version; absent means false.
    var isSuperseded: Bool?
    /// The URL after redirects; absent without redirects.
    var location: String?
    var peer: AddressKind?
    /// The name of the transform; absent for the origin's own bytes.
    var transform: String?
    var isTransformedWhole: Bool?

    init(resource: StoredResource, blob: String, state: inout RepresentationState) {
        key = resource.key
        url = resource.url
        created = resource.created
        self.blob = blob
        length = state.head.length
        contentType = state.head.contentType
        validator = state.head.validator
        validatedAt = state.head.validatedAt
        entityTag = state.head.entityTag
        spans = Data(state.written.encoded)
        checksumPages = state.checksums.allPages().mapValues { Data($0) }
        isSuperseded = state.isSuperseded ? true : nil
        location = state.head.location?.description
        peer = state.head.peer
        transform = state.transform?.name
        isTransformedWhole = state.transform?.isWhole
    }

    var isComplete: Bool { length != nil && SpanMap(encoded: spans)?.byteCount == length }

    func encoded() throws -> [UInt8] { try Array(JSONEncoder().encode(self)) }

    init(encoded: [UInt8]) throws {
        self = try JSONDecoder().decode(Sidecar.self, from: Data(encoded))
    }

    func snapshot(resourceID: Int64, representationID: Int64, useOrder: Int64) -> CommitSnapshot {
        CommitSnapshot(
            resource: StoredResource(
                id: resourceID, key: key, url: url, created: created, lastUsed: validatedAt, useOrder: useOrder,
                hits: 0, isPinned: true),
            representation: StoredRepresentation(
                id: representationID, resourceID: resourceID, blob: blob, isDurable: true,
                head: ResourceHead(
                    length: length, contentType: contentType, validator: validator, validatedAt: validatedAt,
                    entityTag: entityTag, location: location.flatMap { try? ResourceURL($0) }, peer: peer ?? .unknown),
                freshness: Freshness(), ignoresRanges: false, isSuperseded: isSuperseded ?? false,
                spans: SpanMap(encoded: spans) ?? SpanMap(),
                transform: transform.map { AppliedTransform(name: $0, isWhole: isTransformedWhole ?? false) }),
            dirtyPages: checksumPages.mapValues { [UInt8]($0) })
    }
}
