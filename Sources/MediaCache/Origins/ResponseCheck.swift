package import Foundation
package import HTTPTypes

/// What a request asked an origin for.
package enum AskedRange: Sendable, Hashable {
    /// From an offset; to one past the last byte, or to the end.
    case from(Int64, to: Int64?)
    /// The last bytes.
    case suffix(Int64)

    package var isSuffix: Bool { if case .suffix = self { true } else { false } }

    /// The field value of `Range` (RFC 9110 §14.2).
    package var fieldValue: String {
        switch self {
        case .from(let start, let end?): "bytes=\(start)-\(end - 1)"
        case .from(let start, nil): "bytes=\(start)-"
        case .suffix(let count): "bytes=-\(count)"
        }
    }
}

/// What is known of the representation that a response should belong to.
package struct KnownRepresentation: Sendable, Hashable {
    package var validator: Validator
    package var length: Int64?

    package init(validator: Validator, length: Int64?) {
        self.validator = validator
        self.length = length
    }
}

/// The part of a checked response that says which bytes its body holds, and of what.
package struct CheckedHead: Sendable, Hashable {
    /// The bytes of the representation that the body holds; the upper bound is nil if only the body's end tells.
    package var start: Int64
    package var end: Int64?
    /// The complete length, if the response says it.
    package var completeLength: Int64?
    package var validator: Validator
    /// Whether a range was asked for and the whole came.
    package var ignoredRange: Bool
    package var headerFields: HTTPFields
}

/// Decides whether a response may be used: whether its bytes are those that were asked for, and of the version they
/// were asked of. Nothing reaches a blob or a reader before.
package enum ResponseCheck {
    package enum Verdict: Sendable {
        case use(CheckedHead)
        /// The resource has another version now; this is the response's.
        case changed(CheckedHead?)
        case refuse(CacheError)
    }

    package static func judge(
        status: Int,
        headerFields: HTTPFields,
        asked: AskedRange?,
        known: KnownRepresentation?,
        takesCodings: Bool = false,
        url: ResourceURL,
        now: Date
    ) -> Verdict {
        if status == 206 || (status == 200 && !takesCodings), let coding = contentCoding(headerFields) {
            return .refuse(CacheError(unaskedCoding: coding, of: "\(url)"))
        }
        if status == 200 || status == 206, let length = headerFields[.contentLength].flatMap(Int64.init),
            !(0...ContentRange.maximumLength).contains(length)
        {
            return .refuse(CacheError(.badResponse, "\(url) answered \(status) with Content-Length \(length)"))
        }
        let validator = Validator(entityTag: headerFields[.eTag], lastModified: headerFields[.lastModified])
        switch status {
        case 206: return partial(headerFields, validator, asked: asked, known: known, url: url)
        case 200: return whole(headerFields, validator, asked: asked, known: known)
        case 416: return unsatisfied(headerFields, validator, asked: asked, known: known, url: url)
        case 200..<300:
            return .refuse(CacheError(.badResponse, "\(url) answered \(status), which carries no media"))
        default:
            return .refuse(
                CacheError(
                    .originStatus, "\(url) answered \(status)", status: status,
                    retryAfter: retryAfter(headerFields, now: now)))
        }
    }

    private static func partial(
        _ fields: HTTPFields, _ validator: Validator, asked: AskedRange?, known: KnownRepresentation?, url: ResourceURL
    ) -> Verdict {
        func refuse(_ reason: String) -> Verdict {
            .refuse(CacheError(.badResponse, "\(url) answered 206 \(reason)"))
        }
        guard let asked else { return refuse("to a request without Range") }
        guard let text = fields[.contentRange], let content = ContentRange(text), let range = content.range else {
            return refuse("with Content-Range “\(fields[.contentRange] ?? "")”")
        }
        let head = CheckedHead(
            start: range.lowerBound, end: range.upperBound, completeLength: content.completeLength,
            validator: validator, ignoredRange: false, headerFields: fields)
        if let known, !known.validator.joins(validator) { return .changed(head) }
        if let length = known?.length, let total = content.completeLength, length != total {
            // One strong tag for two lengths is a broken answer; anything less is a new version.
            let tag = known?.validator.strongEntityTag
            if tag != nil, tag == validator.entityTag {
                return .refuse(
                    CacheError(
                        .badResponse, "\(url) answered 206 with “\(text)” under the entity tag of \(length) bytes",
                        completeLength: total))
            }
            return .changed(head)
        }
        let isAsked =
            switch asked {
            case .from(let start, let end):
                range.lowerBound == start && end.map { range.upperBound <= $0 } ?? true
                    && (known?.length).map { range.upperBound <= $0 } ?? true
            case .suffix(let count):
                content.completeLength.map { range == max(0, $0 - count)..<$0 } ?? false
            }
        guard isAsked else { return refuse("with “\(text)” to “\(asked.fieldValue)”") }
        if let length = fields[.contentLength].flatMap(Int64.init), length != Int64(range.count) {
            return refuse("with “\(text)” and Content-Length \(length)")
        }
        return .use(head)
    }

    private static func whole(
        _ fields: HTTPFields, _ validator: Validator, asked: AskedRange?, known: KnownRepresentation?
    ) -> Verdict {
        let length = fields[.contentLength].flatMap(Int64.init)
        var ignored = asked != nil
        if case .from(0, let end) = asked { ignored = end.map { end in length.map { $0 > end } ?? true } ?? false }
        let head = CheckedHead(
            start: 0, end: length, completeLength: length, validator: validator, ignoredRange: ignored,
            headerFields: fields)
        guard let known else { return .use(head) }
        if !known.validator.joins(validator) { return .changed(head) }
        if let before = known.length, let length, before != length { return .changed(head) }
        return .use(head)
    }

    private static func unsatisfied(
        _ fields: HTTPFields, _ validator: Validator, asked: AskedRange?, known: KnownRepresentation?, url: ResourceURL
    ) -> Verdict {
        let length = fields[.contentRange].flatMap(ContentRange.init)?.completeLength
        if let before = known?.length {
            if let length, length != before { return .changed(nil) }
            return .refuse(CacheError(.badResponse, "\(url) answered 416 for bytes it has"))
        }
        guard let length else {
            return .refuse(CacheError(.badResponse, "\(url) answered 416 without its length", status: 416))
        }
        let isThere =
            switch asked {
            case .from(let start, _): start < length
            case .suffix(let count): count > 0 && length > 0
            case nil: false
            }
        if isThere {
            return .refuse(CacheError(.badResponse, "\(url) answered 416 for bytes it has"))
        }
        return .refuse(
            CacheError(
                .rangeNotSatisfiable, "\(url) has \(length) bytes; the range lies outside", status: 416,
                completeLength: length))
    }

    /// The coding that a body came in (RFC 9110 §8.4), in lower case; nil for none.
    package static func contentCoding(_ fields: HTTPFields) -> String? {
        let coding = (fields[.contentEncoding] ?? "").filter { !$0.isWhitespace }.lowercased()
        return coding.isEmpty || coding == "identity" ? nil : coding
    }

    /// Why a response's bytes may not be kept: it forbids it, or depends on what we don't know; nil if they may.
    package static func refusal(_ fields: HTTPFields, _ settings: TransferSettings) -> CacheError? {
        if CacheControl(fields).noStore, !settings.keepsNoStore {
            return CacheError(notKept: "its origin forbids it (Cache-Control: no-store)")
        }
        if varies(fields) {
            return CacheError(notKept: "its origin says that others may get something else (Vary)")
        }
        return nil
    }

    /// Whether another request could get other bytes (RFC 9111 §4.1): `Vary` names something that isn't the same in all
    /// of ours.
    package static func varies(_ fields: HTTPFields) -> Bool {
        let constant: Set = ["accept-encoding", "accept", "origin", "range", "user-agent"]
        return (fields[.vary] ?? "").split(separator: ",").contains { name in
            !constant.contains(name.trimmingCharacters(in: .whitespaces).lowercased())
        }
    }

    /// `Retry-After` in seconds or as a date (RFC 9110 §10.2.3).
    private static func retryAfter(_ fields: HTTPFields, now: Date) -> Duration? {
        guard let text = fields[.retryAfter] else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let sent = fields[.date].flatMap(HTTPDate.parse) ?? now
        return .seconds(max(0, min(date.timeIntervalSince(sent), 86_400)))
    }
}
