import HTTPTypes
import MediaCache

/// The response to a request, determined before its first byte: the head, the body, and events within the body.
struct ScriptedReply: Sendable {
    /// The framing of a body on a connection (RFC 9112 §6.3).
    enum Framing: Sendable {
        case length
        case chunked
        case close
    }

    enum Mark: Sendable {
        case wait(ScriptedGate)
        case reset
        case replace(ScriptedResource, tearsBody: Bool)
    }

    var status: Int
    var headerFields: HTTPFields = [:]
    var framing = Framing.length
    var body: ScriptedBody
    /// The range of `body` to send, which may exceed the body.
    var range: Range<Int64>
    /// Whether the body ends before its announced length.
    var isTruncated = false
    var marks: [(position: Int64, mark: Mark)] = []
    var headGates: [ScriptedGate] = []
    var bufferSize: Int
    var peer = AddressKind.global
    var isUnreachable = false

    /// Creates the response to a request with `fields`. `number` is its index among the requests for its URL.
    init(resource: ScriptedResource?, fields: HTTPFields, number: Int, faults: [ScriptedFault]) {
        guard let resource else {
            self.init(status: 404, text: "no resource is scripted for this URL", contentType: "text/plain")
            apply(faults, content: nil)
            return
        }
        self.init(status: 200, body: resource.body, bufferSize: resource.bufferSize)
        peer = resource.peer
        let tag = Self.replacedTag(in: faults) ?? resource.entityTag(forRequest: number)
        headerFields[.eTag] = tag
        headerFields[.lastModified] = resource.lastModified
        headerFields[.contentType] = resource.contentType
        headerFields[.cacheControl] = resource.cacheControl
        if resource.acceptsRanges { headerFields[.acceptRanges] = "bytes" }
        if Self.isNotModified(fields, tag: tag, lastModified: resource.lastModified) {
            status = 304
            range = 0..<0
            framing = .close
            headerFields[.contentType] = nil
        } else if resource.acceptsRanges, !Self.ignoresRange(faults),
            Self.replacedTag(in: faults) != nil || Self.meetsIfRange(fields, tag: tag, resource.lastModified),
            let requested = Self.parseRange(fields[.range])
        {
            serve(requested)
        }
        if status != 304 { headerFields[.contentLength] = String(range.count) }
        for field in resource.headerFields { headerFields[field.name] = field.value }
        apply(faults, content: resource)
    }

    private init(status: Int, body: ScriptedBody, bufferSize: Int = 64 << 10) {
        self.status = status
        self.body = body
        self.range = 0..<body.length
        self.bufferSize = max(1, bufferSize)
    }

    private init(status: Int, text: String, contentType: String) {
        self.init(status: status, body: .text(text))
        headerFields[.contentType] = contentType
        headerFields[.contentLength] = String(body.length)
    }

    private mutating func serve(_ requested: RequestedRange) {
        let complete = body.length
        if let served = requested.resolved(in: complete) {
            status = 206
            range = served
            headerFields[.contentRange] = "bytes \(served.lowerBound)-\(served.upperBound - 1)/\(complete)"
        } else {
            refuseRange(complete: complete)
        }
    }

    private mutating func refuseRange(complete: Int64) {
        self = ScriptedReply(status: 416, text: "the range isn't satisfiable", contentType: "text/plain")
        headerFields[.contentRange] = "bytes */\(complete)"
    }

    /// Returns the single byte range of a `Range` field (RFC 9110 §14.1.2); nil if there is none or it's invalid.
    static func parseRange(_ field: String?) -> RequestedRange? {
        guard let field, field.lowercased().hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        switch (Int64(parts[0]), Int64(parts[1])) {
        case (let first?, let last?): return first <= last ? .closed(first, through: last) : nil
        case (let first?, nil): return parts[1].isEmpty ? .from(first) : nil
        case (nil, let count?): return parts[0].isEmpty ? .suffix(count) : nil
        case (nil, nil): return nil
        }
    }

    /// Evaluates `If-Range` (RFC 9110 §13.1.5) by strong comparison of a tag, or by the exact date.
    private static func meetsIfRange(_ fields: HTTPFields, tag: String?, _ lastModified: String?) -> Bool {
        guard let condition = fields[.ifRange] else { return true }
        if condition.hasPrefix("\"") { return condition == tag }
        return condition == lastModified
    }

    /// Evaluates `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1.2 and §13.1.3).
    private static func isNotModified(_ fields: HTTPFields, tag: String?, lastModified: String?) -> Bool {
        func opaque(_ tag: some StringProtocol) -> String { String(tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]) }
        if let condition = fields[.ifNoneMatch] {
            if condition == "*" { return true }
            guard let tag else { return false }
            return condition.split(separator: ",").contains { part in
                opaque(part.drop { $0 == " " }.prefix { $0 != " " }) == opaque(tag)
            }
        }
        guard let condition = fields[.ifModifiedSince] else { return false }
        return condition == lastModified
    }

    private static func ignoresRange(_ faults: [ScriptedFault]) -> Bool {
        faults.contains { if case .ignoresRange = $0 { true } else { false } }
    }

    private static func replacedTag(in faults: [ScriptedFault]) -> String?? {
        for case .entityTag(let tag) in faults { return .some(tag) }
        return .none
    }
}

extension ScriptedReply {
    private mutating func apply(_ faults: [ScriptedFault], content: ScriptedResource?) {
        // Faults that replace the whole response are applied first, so that the others change the result.
        for fault in faults { replaceResponse(fault, content: content) }
        for fault in faults { change(fault) }
        marks.sort { $0.position < $1.position }
    }

    private mutating func replaceResponse(_ fault: ScriptedFault, content: ScriptedResource?) {
        switch fault {
        case .rangeNotSatisfiable:
            refuseRange(complete: content?.body.length ?? 0)
        case .page(let html):
            self = ScriptedReply(status: 200, text: html, contentType: "text/html; charset=utf-8")
        case .status(let status, let retryAfter):
            self = ScriptedReply(status: status, text: "status \(status)", contentType: "text/plain")
            headerFields[.retryAfter] = retryAfter
        case .redirect(let target, let status):
            self = ScriptedReply(status: status, text: "see \(target)", contentType: "text/plain")
            headerFields[.location] = target
        case .wrongContentRange, .contentRange, .ignoresRange, .entityTag, .bodyShorter, .bodyLonger, .noContentLength,
            .closeDelimited, .contentEncoding, .stall, .reset, .unreachable, .holdHead, .holdBody, .bufferSize,
            .replace, .headerFields:
            break
        }
        peer = content?.peer ?? peer
    }

    private mutating func change(_ fault: ScriptedFault) {
        switch fault {
        case .wrongContentRange(let start, let end, let total):
            let first = range.lowerBound + start
            let last = range.upperBound - 1 + end
            headerFields[.contentRange] = "bytes \(first)-\(last)/\(body.length + total)"
        case .contentRange(let value):
            status = 206
            headerFields[.contentRange] = value
        case .bodyShorter(let count):
            range = range.lowerBound..<max(range.lowerBound, range.upperBound - count)
            isTruncated = true
        case .bodyLonger(let count):
            range = range.lowerBound..<range.upperBound + count
        case .noContentLength:
            headerFields[.contentLength] = nil
            framing = .chunked
        case .closeDelimited(let count):
            headerFields[.contentLength] = nil
            framing = .close
            if let count { range = range.lowerBound..<min(range.upperBound, range.lowerBound + count) }
        case .contentEncoding(let coding):
            headerFields[.contentEncoding] = coding
        case .stall(let position, let gate):
            marks.append((position, .wait(gate)))
        case .reset(let position):
            marks.append((position, .reset))
        case .unreachable:
            isUnreachable = true
        case .holdHead(let gate):
            headGates.append(gate)
        case .holdBody(let offset, let gate):
            if range.contains(offset) { marks.append((offset - range.lowerBound, .wait(gate))) }
        case .bufferSize(let size):
            bufferSize = max(1, size)
        case .replace(let position, let resource, let tearsBody):
            marks.append((position, .replace(resource, tearsBody: tearsBody)))
        case .headerFields(let fields):
            for field in fields { headerFields[field.name] = field.value }
        case .entityTag, .ignoresRange, .rangeNotSatisfiable, .page, .status, .redirect:
            break
        }
    }
}
