import Foundation
import HTTPTypes
import MediaCache
import NIOHTTP1

/// The conditions of a request, and their evaluation for a representation (RFC 9110 §13).
struct Preconditions {
    enum Outcome {
        /// All conditions are met, or there are none.
        case proceed
        /// 304: the client has the current version.
        case notModified
        /// 412: the client expects another version.
        case failed
    }

    private let ifMatch: [EntityTag]?
    private let ifNoneMatch: [EntityTag]?
    private let ifModifiedSince: String?
    private let ifUnmodifiedSince: String?
    private let ifRange: String?

    init(_ headers: HTTPHeaders) {
        ifMatch = Self.tags(headers["If-Match"])
        ifNoneMatch = Self.tags(headers["If-None-Match"])
        ifModifiedSince = headers.first(name: "If-Modified-Since")
        ifUnmodifiedSince = headers.first(name: "If-Unmodified-Since")
        ifRange = headers.first(name: "If-Range")
    }

    init(_ fields: HTTPFields) {
        ifMatch = Self.tags(fields[values: .ifMatch])
        ifNoneMatch = Self.tags(fields[values: .ifNoneMatch])
        ifModifiedSince = fields[.ifModifiedSince]
        ifUnmodifiedSince = fields[.ifUnmodifiedSince]
        ifRange = fields[.ifRange]
    }

    var isEmpty: Bool {
        ifMatch == nil && ifNoneMatch == nil && ifModifiedSince == nil && ifUnmodifiedSince == nil && ifRange == nil
    }

    /// Evaluates the conditions except `If-Range`, in the order of RFC 9110 §13.2.2.
    func evaluate(_ head: ResourceHead) -> Outcome {
        evaluate(EntityTag(sending: head.entityTag), modified: head.validator.lastModified.flatMap(HTTPDate.parse))
    }

    /// Evaluates the conditions for a tag; nil if there is no current representation.
    func evaluate(
        _ tag: @autoclosure () -> EntityTag?, modified: @autoclosure () -> Date? = nil
    ) -> Outcome {
        // Lazy, because most requests have no conditions that need the tag or the date.
        lazy var tag = tag()
        lazy var modified = modified()
        if let ifMatch {
            guard let tag, ifMatch.contains(where: { $0.opaque == "*" || $0.stronglyMatches(tag) }) else {
                return .failed
            }
        } else if let limit = ifUnmodifiedSince.flatMap(HTTPDate.parse), let modified, modified > limit {
            return .failed
        }
        if let ifNoneMatch {
            guard let tag else { return .proceed }
            return ifNoneMatch.contains { $0.opaque == "*" || $0.weaklyMatches(tag) } ? .notModified : .proceed
        }
        if let limit = ifModifiedSince.flatMap(HTTPDate.parse), let modified, modified <= limit { return .notModified }
        return .proceed
    }

    /// Returns whether a range request may receive a partial response: `If-Range` is absent, or identifies this version
    /// by a strong tag or its exact date (RFC 9110 §13.1.5).
    func allowsRange(of head: ResourceHead) -> Bool {
        allowsRange(of: EntityTag(sending: head.entityTag), modified: head.sentModification)
    }

    /// Returns whether a range request may receive a part of the version with this tag and `Last-Modified` value.
    func allowsRange(of tag: @autoclosure () -> EntityTag, modified: @autoclosure () -> String? = nil) -> Bool {
        guard let ifRange else { return true }
        if ifRange.hasPrefix("\"") || ifRange.hasPrefix("W/") { return EntityTag(ifRange).stronglyMatches(tag()) }
        return ifRange == modified()
    }

    private static func tags(_ values: [String]) -> [EntityTag]? {
        values.isEmpty ? nil : values.flatMap(EntityTag.list)
    }
}
