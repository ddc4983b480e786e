package import Foundation
package import HTTPTypes

/// The properties of the representation to which a response must belong.
package struct KnownRepresentation: Sendable, Hashable {
    package var validator: Validator
    package var length: Int64?

    package init(validator: Validator, length: Int64?) {
        self.validator = validator
        self.length = length
    }
}

/// The byte range and version of a checked response.
package struct CheckedHead: Sendable, Hashable {
    /// The byte range of the body. The end is nil if only the end of the body determines it.
    package var start: Int64
    package var end: Int64?
    /// The complete length; nil if the response has none.
    package var completeLength: Int64?
    package var validator: Validator
    /// Whether the response contains the whole content although only part of it was requested.
    package var ignoredRange: Bool
    package var headerFields: HTTPFields
}

/// The check that decides whether a response can be used: whether its bytes are the requested ones, and belong to the
/// expected version. No byte reaches a blob or a reader without this check.
package enum ResponseCheck {
    /// The result of a check.
    package enum Verdict: Sendable {
        case use(CheckedHead)
        /// The resource has changed. The head is that of the new version, if the response contains it.
        case changed(CheckedHead?)
    }

    /// Checks a response. Throws an error if it can't be used.
    package static func judge(
        status: Int,
        headerFields: HTTPFields,
        requested: RequestedRange?,
        known: KnownRepresentation?,
        acceptsContentCodings: Bool = false,
        url: ResourceURL,
        now: Date
    ) throws(CacheError) -> Verdict {
        if status == 206 || (status == 200 && !acceptsContentCodings), let coding = contentCoding(headerFields) {
            throw CacheError(unrequestedCoding: coding, of: "\(url)")
        }
        if status == 200 || status == 206, let length = headerFields[.contentLength].flatMap(Int64.init),
            !(0...ContentRange.maximumLength).contains(length)
        {
            throw CacheError(.badResponse, "\(url) responded with \(status) and Content-Length \(length)")
        }
        let validator = Validator(entityTag: headerFields[.eTag], lastModified: headerFields[.lastModified])
        switch status {
        case 206: return try partial(headerFields, validator, requested: requested, known: known, url: url)
        case 200: return whole(headerFields, validator, requested: requested, known: known)
        case 416: return try unsatisfied(headerFields, validator, requested: requested, known: known, url: url)
        case 200..<300:
            throw CacheError(.badResponse, "\(url) responded with \(status) instead of 200 or 206")
        default:
            throw CacheError(
                .originStatus, "\(url) responded with \(status)", status: status,
                retryAfter: retryAfter(headerFields, now: now))
        }
    }

    private static func partial(
        _ fields: HTTPFields, _ validator: Validator, requested: RequestedRange?, known: KnownRepresentation?,
        url: ResourceURL
    ) throws(CacheError) -> Verdict {
        func failure(_ reason: String) -> CacheError {
            CacheError(.badResponse, "\(url) responded with 206 \(reason)")
        }
        guard let requested else { throw failure("to a request without Range") }
        guard let text = fields[.contentRange], let content = ContentRange(text), let range = content.range else {
            throw failure("and the invalid Content-Range “\(fields[.contentRange] ?? "")”")
        }
        let head = CheckedHead(
            start: range.lowerBound, end: range.upperBound, completeLength: content.completeLength,
            validator: validator, ignoredRange: false, headerFields: fields)
        if let known, !known.validator.joins(validator) { return .changed(head) }
        if let length = known?.length, let total = content.completeLength, length != total {
            // A strong tag with two lengths is an error. Any weaker evidence means a new version.
            let tag = known?.validator.strongEntityTag
            guard tag != nil, tag == validator.entityTag else { return .changed(head) }
            var error = failure("and Content-Range “\(text)”, but the same entity tag had \(length) bytes")
            error.completeLength = total
            throw error
        }
        let isAsked =
            if let (start, end) = requested.bounds {
                range.lowerBound == start && end.map { range.upperBound <= $0 } ?? true
                    && (known?.length).map { range.upperBound <= $0 } ?? true
            } else {
                content.completeLength.map { range == requested.resolved(in: $0) } ?? false
            }
        guard isAsked else { throw failure("and Content-Range “\(text)” to a request for “\(requested.fieldValue)”") }
        if let length = fields[.contentLength].flatMap(Int64.init), length != Int64(range.count) {
            throw failure("and the contradictory Content-Range “\(text)” and Content-Length \(length)")
        }
        return .use(head)
    }

    private static func whole(
        _ fields: HTTPFields, _ validator: Validator, requested: RequestedRange?, known: KnownRepresentation?
    ) -> Verdict {
        let length = fields[.contentLength].flatMap(Int64.init)
        var ignored = requested != nil
        if let bounds = requested?.bounds, bounds.start == 0 {
            ignored = bounds.end.map { end in length.map { $0 > end } ?? true } ?? false
        }
        let head = CheckedHead(
            start: 0, end: length, completeLength: length, validator: validator, ignoredRange: ignored,
            headerFields: fields)
        if let known, !known.validator.joins(validator) { return .changed(head) }
        if let before = known?.length, let length, before != length { return .changed(head) }
        return .use(head)
    }

    private static func unsatisfied(
        _ fields: HTTPFields, _ validator: Validator, requested: RequestedRange?, known: KnownRepresentation?,
        url: ResourceURL
    ) throws(CacheError) -> Verdict {
        let length = fields[.contentRange].flatMap(ContentRange.init)?.completeLength
        if let before = known?.length, let length, length != before { return .changed(nil) }
        if (known?.length ?? length).flatMap({ (requested ?? .all).resolved(in: $0) }) != nil {
            throw CacheError(.badResponse, "\(url) responded with 416 to a request for existing bytes")
        }
        guard let length else {
            throw CacheError(.badResponse, "\(url) responded with 416 without the complete length", status: 416)
        }
        throw CacheError(
            .rangeNotSatisfiable, "the requested range is outside \(url), which has \(length) bytes", status: 416,
            completeLength: length)
    }

    /// Returns the content coding of a body (RFC 9110 §8.4) in lower case; nil for none.
    package static func contentCoding(_ fields: HTTPFields) -> String? {
        let coding = (fields[.contentEncoding] ?? "").filter { !$0.isWhitespace }.lowercased()
        return coding.isEmpty || coding == "identity" ? nil : coding
    }

    /// Returns the error for a response that forbids storing, or varies with request fields; nil if it may be stored.
    package static func refusal(_ fields: HTTPFields, _ settings: TransferSettings) -> CacheError? {
        if CacheControl(fields).noStore, !settings.storesNoStoreResponses {
            return CacheError(notStored: "its origin forbids it (Cache-Control: no-store)")
        }
        return varies(fields) ? CacheError(notStored: "its response varies with other request fields (Vary)") : nil
    }

    /// Returns whether `Vary` (RFC 9111 §4.1) lists a field other than `Range` that isn't the same in all requests.
    package static func varies(_ fields: HTTPFields) -> Bool {
        let constant: Set = ["accept-encoding", "accept", "origin", "range", "user-agent"]
        return (fields[.vary] ?? "").split(separator: ",").contains { name in
            !constant.contains(name.trimmingCharacters(in: .whitespaces).lowercased())
        }
    }

    /// Returns the delay of `Retry-After`, given in seconds or as a date (RFC 9110 §10.2.3).
    private static func retryAfter(_ fields: HTTPFields, now: Date) -> Duration? {
        guard let text = fields[.retryAfter] else { return nil }
        if let seconds = Int64(text), seconds >= 0 { return .seconds(min(seconds, 86_400)) }
        guard let date = HTTPDate.parse(text) else { return nil }
        let sent = fields[.date].flatMap(HTTPDate.parse) ?? now
        return .seconds(max(0, min(date.timeIntervalSince(sent), 86_400)))
    }
}

/// A `Content-Range` field (RFC 9110 §14.4).
package struct ContentRange: Sendable, Hashable {
    /// The maximum length and end position accepted from an origin: 1 PiB, far more than any media file has. Offsets up
    /// to this limit can be added and rounded up without overflow.
    static let maximumLength: Int64 = 1 << 50

    /// The byte range of the body; nil for the unsatisfied form `bytes */N`.
    package var range: Range<Int64>?
    /// The complete length; nil for `*`.
    package var completeLength: Int64?

    package init(range: Range<Int64>?, completeLength: Int64?) {
        self.range = range
        self.completeLength = completeLength
    }

    /// The field value; nil if both range and length are unknown.
    package var fieldValue: String? {
        switch (range, completeLength) {
        case (let range?, let length):
            "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(length.map { "\($0)" } ?? "*")"
        case (nil, let length?): "bytes */\(length)"
        case (nil, nil): nil
        }
    }

    /// Parses a field value. Returns nil if it's invalid: another unit, a last byte before the first or beyond the
    /// complete length, or a length or an end above ``maximumLength``.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        if parts[1] != "*" {
            guard let length = Self.number(parts[1]) else { return nil }
            completeLength = length
        }
        guard parts[0] != "*" else {
            guard completeLength != nil else { return nil }
            return
        }
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]),
            first <= last, last < Self.maximumLength, completeLength.map({ last < $0 }) ?? true
        else { return nil }
        range = first..<last + 1
    }

    private static func number(_ digits: Substring) -> Int64? {
        guard digits.isDecimal, let number = Int64(digits), number <= maximumLength else { return nil }
        return number
    }
}
