import MediaCache
import NIOHTTP1

/// A GET or HEAD for media, understood.
struct PlayRequest {
    /// The most parts that several ranges are answered with; more are answered with the whole.
    static let maximumParts = 16

    /// What is to be sent, once the head is known.
    enum Plan {
        /// The whole representation: 200.
        case whole
        /// One part: 206.
        case part(Range<Int64>)
        /// Several: 206 as `multipart/byteranges`.
        case parts([Range<Int64>])
        /// None of the parts exists: 416.
        case unsatisfiable
    }

    let isHead: Bool
    let preconditions: Preconditions
    let range: RangeHeader?

    init(_ head: HTTPRequestHead) {
        isHead = head.method == .HEAD
        preconditions = Preconditions(head.headers)
        // GET is the only method that ranges are defined for (RFC 9110 §14.2); two Range fields contradict.
        let fields = head.method == .GET ? head.headers["Range"] : []
        let header = fields.count == 1 ? RangeHeader(fields[0]) : nil
        range = header?.unit == "bytes" ? header : nil
    }

    /// What to open the first reader with: the first part, so that a seek's bytes are asked for at once.
    var firstRange: RequestedRange {
        // A head alone needs no bytes, but the first ones tell the type.
        if isHead { return .closed(0, through: 0) }
        guard let range, !range.hasReversedPart else { return .all }
        return range.parts[0]
    }

    /// Whether a first range outside the resource settles the answer.
    var isSettledByFirstRange: Bool {
        !isHead && range?.parts.count == 1 && preconditions.isEmpty
    }

    /// What to send of the representation. Of one whose length isn't known no part can be named.
    func plan(for head: ResourceHead) -> Plan {
        guard let range, let length = head.length, preconditions.allowsRange(of: head) else { return .whole }
        switch range.resolved(in: length) {
        case .unsatisfiable:
            return .unsatisfiable
        case .satisfiable(let ranges):
            let parts = RangeHeader.coalesced(ranges)
            if parts.count == 1 { return .part(parts[0]) }
            return parts.count <= Self.maximumParts ? .parts(parts) : .whole
        }
    }
}
