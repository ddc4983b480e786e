import HLS

/// What the tags of a media playlist say of its segments and parts, read beside its references: a model of a hundred
/// thousand segments would be larger than all else that is held of them.
struct SegmentTags {
    /// A segment or part: which it is, whether it's a byte range of its resource, and whether it's a gap.
    struct Said {
        var segment: LiveSegment
        var isRange = false
        var isGap = false
        var isHint = false
    }

    private var reader: PlaylistTagReader
    /// EXT-X-TARGETDURATION in nanoseconds.
    private(set) var targetDuration: Int64?
    /// How many segments a delta update leaves out; nil of what is none.
    private(set) var skipped: Int?
    private var mediaSequence = 0
    /// The segments so far, and their duration in nanoseconds.
    private var count = 0
    private var duration: Int64 = 0
    /// What has been said of the segment that comes next; its place is that of the part that came last.
    private var next = Said(segment: LiveSegment(number: 0))
    /// When the segment that comes next begins.
    private var clock: Int64?
    private var part = Said(segment: LiveSegment(number: 0))
    private var hint: PreloadHint?

    /// The tags in `bytes`, which must outlive this.
    init(_ bytes: UnsafeRawBufferPointer) {
        reader = PlaylistTagReader(bytes)
    }

    /// The media segment whose URI stands at `offset`.
    mutating func segment(at offset: Int) -> Said {
        read(before: offset)
        var said = next
        said.segment.part = 0
        said.segment.start = clock
        // Servers drop the tag before the first.
        if count == 0 { said.segment.isDiscontinuous = nil }
        clock = clock.map { $0 &+ said.segment.duration }
        duration &+= said.segment.duration
        count += 1
        next = Said(segment: LiveSegment(number: said.segment.number &+ 1, isDiscontinuous: false))
        return said
    }

    /// The partial segment whose URI stands at `offset`.
    mutating func part(at offset: Int) -> Said {
        read(before: offset)
        return part
    }

    /// The part that the hint whose URI stands at `offset` is of; nil if it's of something else.
    mutating func hint(at offset: Int) -> Said? {
        read(before: offset)
        guard let hint, hint.type == "PART" else { return nil }
        var place = LiveSegment(number: next.segment.number)
        place.part = next.segment.part &+ 1
        return Said(segment: place, isRange: hint.byteRangeStart != nil || hint.byteRangeLength != nil, isHint: true)
    }

    /// The media sequence numbers of all segments that have been read, those that are left out among them, and that of a
    /// segment of which there are only parts.
    var window: Range<Int> {
        let end = next.segment.part > 0 ? next.segment.number &+ 1 : next.segment.number
        return mediaSequence..<max(mediaSequence, end)
    }

    /// The mean duration of the segments that have been read, in nanoseconds; nil if none has been.
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
                part = Said(
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
