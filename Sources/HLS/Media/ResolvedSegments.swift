/// The segments of a media playlist with what their places imply, in one pass.
public struct ResolvedSegments: Sequence, Sendable {
    /// One pass over the segments.
    public struct Iterator: IteratorProtocol {
        private let segments: [MediaSegment]
        private var index = 0
        private var mediaSequence: Int
        private var discontinuitySequence: Int
        private var start: Int64 = 0
        private var clock: Int64?
        private var bitrate: Int?
        private var lastURI = ""
        private var lastEnd: Int?

        init(_ playlist: MediaPlaylist) {
            segments = playlist.segments
            mediaSequence = playlist.firstMediaSequence
            discontinuitySequence = playlist.discontinuitySequence
            clock = Iterator.firstClock(playlist.segments)
        }

        /// The time of the first segment, counted back from the first that has one.
        private static func firstClock(_ segments: [MediaSegment]) -> Int64? {
            var elapsed: Int64 = 0
            for segment in segments {
                if !segment.tags.isEmpty, let date = segment.programDateTime?.nanosecondsSinceEpoch {
                    return date &- elapsed
                }
                elapsed &+= segment.duration.nanoseconds
            }
            return nil
        }

        /// The next segment.
        public mutating func next() -> ResolvedSegment? {
            guard index < segments.count else { return nil }
            let segment = segments[index]
            if segment.isDiscontinuous { discontinuitySequence &+= 1 }
            var date: DateTime?
            if !segment.tags.isEmpty {
                date = segment.programDateTime
                if let moment = date?.nanosecondsSinceEpoch { clock = moment }
                if let rate = segment.bitrate { bitrate = rate }
            }
            if date?.nanosecondsSinceEpoch == nil { date = clock.map { DateTime(nanosecondsSinceEpoch: $0) } }
            let resolved = ResolvedSegment(
                segment: segment, mediaSequence: mediaSequence, discontinuitySequence: discontinuitySequence,
                startNanoseconds: start, programDateTime: date, bitrate: segment.byteRange == nil ? bitrate : nil,
                byteRange: byteRange(of: segment))
            start &+= segment.duration.nanoseconds
            clock = clock.map { $0 &+ segment.duration.nanoseconds }
            mediaSequence &+= 1
            index += 1
            return resolved
        }

        private mutating func byteRange(of segment: MediaSegment) -> Range<Int>? {
            guard let range = segment.byteRange else {
                lastEnd = nil
                return nil
            }
            let offset = range.offset ?? (segment.uri == lastURI ? lastEnd : nil) ?? 0
            let (end, overflow) = offset.addingReportingOverflow(range.length)
            guard !overflow else { return nil }
            lastURI = segment.uri
            lastEnd = end
            return offset..<end
        }
    }

    private let playlist: MediaPlaylist

    init(_ playlist: MediaPlaylist) {
        self.playlist = playlist
    }

    /// Starts a pass.
    public func makeIterator() -> Iterator {
        Iterator(playlist)
    }
}

extension MediaPlaylist {
    /// The segments with their numbers, times and bytes, as their places imply them.
    public var resolvedSegments: ResolvedSegments { ResolvedSegments(self) }
}
