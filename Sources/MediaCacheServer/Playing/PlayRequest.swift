import MediaCache
import NIOHTTP1

/// A parsed GET or HEAD for media.
struct PlayRequest {
    /// The maximum number of parts in a response. If more are requested, the whole representation is sent.
    static let maximumParts = 16

    enum Plan {
        /// The whole representation: 200.
        case whole
        /// One range: 206.
        case part(Range<Int64>)
        /// Several ranges: 206 as `multipart/byteranges`.
        case parts([Range<Int64>])
        /// No range is within the representation: 416.
        case unsatisfiable
    }

    let isHead: Bool
    let preconditions: Preconditions
    let range: RangeHeader?

    init(_ head: HTTPRequestHead) {
        isHead = head.method == .HEAD
        preconditions = Preconditions(head.headers)
        // Ranges are defined only for GET (RFC 9110 §14.2). Repeated Range fields are ignored.
        let fields = head.method == .GET ? head.headers["Range"] : []
        let header = fields.count == 1 ? RangeHeader(fields[0]) : nil
        range = header?.unit == "bytes" ? header : nil
    }

    /// The range of the first reader: the first requested part, so that the bytes of a seek are requested immediately.
    var firstRange: RequestedRange {
        // HEAD needs no bytes, but a request from the start of the resource returns those that determine the type.
        if isHead { return .closed(0, through: 0) }
        guard let range, !range.hasReversedPart else { return .all }
        return range.parts[0]
    }

    /// Whether the response is 416 if the first range is outside the resource, because the request has no other part
    /// and no condition.
    var isSettledByFirstRange: Bool { !isHead && range?.parts.count == 1 && preconditions.isEmpty }

    /// Returns the plan for the response. Ranges are ignored while the length is unknown.
    func plan(for head: ResourceHead) -> Plan {
        guard let range, let length = head.length, preconditions.allowsRange(of: head) else { return .whole }
        guard let ranges = range.resolved(in: length) else { return .unsatisfiable }
        let parts = RangeHeader.coalesced(ranges)
        if parts.count == 1 { return .part(parts[0]) }
        return parts.count <= Self.maximumParts ? .parts(parts) : .whole
    }
}
