import HLS

/// A reader of a media playlist's segment tags, used with a scan of its references. It needs less memory than parsing.
struct SegmentTags {
    /// The tags of a segment or partial segment.
    struct Tags {
        var segment: LiveSegment
        var isRange = false
        var isGap = false
        var isHint = false
    }

    private var reader: PlaylistTagReader
    /// EXT-X-TARGETDURATION in nanoseconds.
    private(set) var targetDuration: Int64?
    /// The number of segments that a delta update omits; nil for a complete playlist.
    private(set) var skipped: Int?
    private var mediaSequence = 0
    /// The number of segments read so far, and their total duration in nanoseconds.
    private var count = 0
    private var duration: Int64 = 0
    /// The next segment, with the tags read so far. Its part number is that of the last part.
    private var next = Tags(segment: LiveSegment(number: 0))
    /// The start of the next segment, in nanoseconds since 1970.
    private var clock: Int64?
    private var part = Tags(segment: LiveSegment(number: 0))
    private var hint: PreloadHint?

    /// Creates a reader of bytes that must outlive it.
    init(_ bytes: UnsafeRawBufferPointer) { reader = PlaylistTagReader(bytes) }

    mutating func segment(at offset: Int) -> Tags {
        read(before: offset)
        var tags = next
        tags.segment.part = 0
        tags.segment.start = clock
        // Servers omit EXT-X-DISCONTINUITY before the first segment.
        if count == 0 { tags.segment.isDiscontinuous = nil }
        clock = clock.map { $0 &+ tags.segment.duration }
        duration &+= tags.segment.duration
        count += 1
        next = Tags(segment: LiveSegment(number: tags.segment.number &+ 1, isDiscontinuous: false))
        return tags
    }

    mutating func part(at offset: Int) -> Tags {
        read(before: offset)
        return part
    }

    /// Returns the tags of the partial segment that the hint at `offset` announces; nil for a hint of another type.
    mutating func hint(at offset: Int) -> Tags? {
        read(before: offset)
        guard let hint, hint.type == "PART" else { return nil }
        var place = LiveSegment(number: next.segment.number)
        place.part = next.segment.part &+ 1
        return Tags(segment: place, isRange: hint.byteRangeStart != nil || hint.byteRangeLength != nil, isHint: true)
    }

    /// The media sequence numbers of all segments read so far, including segments omitted by a delta update and a
    /// segment with only parts.
    var window: Range<Int> {
        let end = next.segment.part > 0 ? next.segment.number &+ 1 : next.segment.number
        return mediaSequence..<max(mediaSequence, end)
    }

    /// The total duration of the segments read so far, in nanoseconds.
    var totalDuration: Int64 { max(0, duration) }

    /// The mean duration of the segments read so far, in nanoseconds; nil if there are none.
    var meanDuration: Int64? { count > 0 ? max(0, duration) / Int64(count) : nil }

    private mutating func read(before limit: Int) {
        while let item = reader.next(before: limit) {
            switch item.tag {
            case .segment: next.segment.duration = reader.decimal(item)?.nanoseconds ?? 0
            case .discontinuity: next.segment.isDiscontinuous = true
            case .gap: next.isGap = true
            case .byteRange: next.isRange = true
            case .programDateTime: clock = DateTime(reader.text(item)).nanosecondsSinceEpoch ?? clock
            case .part:
                next.segment.part &+= 1
                let tag = PartialSegment(attributes: reader.attributes(item))
                part = Tags(
                    segment: LiveSegment(number: next.segment.number), isRange: tag.byteRange != nil, isGap: tag.isGap)
                part.segment.part = next.segment.part
            case .preloadHint: hint = PreloadHint(attributes: reader.attributes(item))
            case .targetDuration: targetDuration = reader.decimal(item)?.nanoseconds
            case .mediaSequence where count == 0: begin(at: Int(reader.text(item)) ?? 0, skipping: skipped)
            case .skip where count == 0:
                begin(at: mediaSequence, skipping: SkippedSegments(attributes: reader.attributes(item)).count)
            default: break
            }
        }
    }

    private mutating func begin(at number: Int, skipping count: Int?) {
        mediaSequence = max(0, number)
        skipped = count
        next.segment.number = mediaSequence &+ max(0, count ?? 0)
    }
}

/// A list of URIs that stores each URI as the difference from its predecessor.
struct URIList: Sendable {
    /// The interval at which a URI is stored completely, which limits the time to read a URI.
    private static let interval = 16
    /// The value of a length byte after which the length follows in four bytes.
    private static let escape = 255

    /// For each URI: the length of the prefix shared with its predecessor, the length of the rest, and the rest.
    private var bytes: [UInt8] = []
    /// The offsets in `bytes` of the completely stored URIs.
    private var offsets: [UInt32] = []
    private var last: [UInt8] = []
    private(set) var count = 0

    /// Reserves memory for a number of bytes, because growth by doubling would need twice as much.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(count) }

    /// Appends a URI; returns false if the list is full, at 4 GiB.
    mutating func append(_ text: String) -> Bool {
        guard let offset = UInt32(exactly: bytes.count) else { return false }
        var text = text
        text.withUTF8 { utf8 in
            var shared = 0
            if count.isMultiple(of: Self.interval) {
                offsets.append(offset)
            } else {
                shared = last.withUnsafeBufferPointer { Self.sharedLength($0, utf8) }
            }
            let rest = utf8[shared...]
            bytes.append(UInt8(shared))
            bytes.append(UInt8(min(rest.count, Self.escape)))
            if rest.count >= Self.escape {
                for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: rest.count >> shift)) }
            }
            bytes.append(contentsOf: rest)
            last.replaceSubrange(shared..., with: rest)
        }
        count += 1
        return true
    }

    subscript(index: Int) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            var text: [UInt8] = []
            var offset = Int(offsets[index / Self.interval])
            for _ in 0...(index % Self.interval) {
                let shared = Int(bytes[offset])
                var length = Int(bytes[offset + 1])
                offset += 2
                if length == Self.escape {
                    length = (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
                    offset += 4
                }
                text.replaceSubrange(shared..., with: bytes[offset..<offset + length])
                offset += length
            }
            return String(decoding: text, as: UTF8.self)
        }
    }

    private static func sharedLength(_ first: UnsafeBufferPointer<UInt8>, _ second: UnsafeBufferPointer<UInt8>) -> Int {
        let limit = min(first.count, second.count, 255)
        var index = 0
        while index < limit, first[index] == second[index] { index += 1 }
        return index
    }
}
