internal import MediaContainers

/// The byte ranges of a file that a player needs to play the beginning.
struct PreloadRanges: Sendable {
    /// The index of an MP4 file, and its position.
    struct Index: Sendable {
        var movie: Movie
        var range: Range<Int64>
    }

    /// The duration that counts as one segment of a file, in seconds.
    private static let segmentDuration = 6.0
    /// The number of bytes per second that is assumed if the bit rate is unknown.
    private static let usualRate = Double(1 << 20)
    /// The maximum number of unneeded bytes between ranges that are requested together.
    private static let maximumGap: Int64 = 64 << 10
    /// The maximum number of samples that are read from the tables of all tracks. A damaged table can contain billions
    /// of samples without duration.
    private static let maximumSamples = 1_000_000

    /// The amount to preload.
    var amount: PreloadAmount
    /// The length of the file in bytes; nil if unknown.
    var length: Int64?
    /// The index; nil if the file has none or isn't an MP4.
    var index: Index?
    /// The number of bytes at the beginning of the file that don't contain media, such as an ID3 tag.
    var prefix: Int64 = 0
    /// The mean number of bytes per second; nil if unknown.
    var bytesPerSecond: Double?

    /// The ranges in the order in which a player needs them: the index, then the media.
    var ranges: [Range<Int64>] {
        var ranges: [Range<Int64>] = []
        let media: [Range<Int64>] =
            switch amount {
            case .bytes(let count): [0..<max(0, count)]
            case .seconds(let seconds): self.media(seconds)
            case .segments(let count): self.media(Double(max(0, count)) * Self.segmentDuration)
            }
        for range in (index.map { [$0.range] } ?? []) + media {
            let range = range.clamped(to: 0..<(length ?? .max))
            guard !range.isEmpty else { continue }
            if let near = ranges.firstIndex(where: { Self.areNear($0, range) }) {
                ranges[near] =
                    min(ranges[near].lowerBound, range.lowerBound)..<max(ranges[near].upperBound, range.upperBound)
            } else {
                ranges.append(range)
            }
        }
        // A range near the beginning includes the boxes before it, such as `ftyp`.
        return ranges.map { $0.lowerBound < Self.maximumGap ? 0..<$0.upperBound : $0 }
    }

    private static func areNear(_ first: Range<Int64>, _ second: Range<Int64>) -> Bool {
        first.lowerBound <= second.upperBound + maximumGap && second.lowerBound <= first.upperBound + maximumGap
    }

    /// Returns the ranges of the first seconds of media.
    private func media(_ seconds: Double) -> [Range<Int64>] {
        guard seconds > 0 else { return [] }
        if let index {
            if let duration = index.movie.seconds, duration > 0, seconds >= duration, let length { return [0..<length] }
            var budget = Self.maximumSamples
            var ranges: [Range<Int64>] = []
            for track in index.movie.tracks {
                if let range = Self.range(of: track, seconds, &budget) { ranges.append(range) }
            }
            if !ranges.isEmpty { return ranges }
        }
        var rate = bytesPerSecond ?? Self.usualRate
        var start = prefix
        if let index, let length, let duration = index.movie.seconds, duration > 0 {
            // Fragments follow the index.
            start = index.range.upperBound
            rate = Double(length - start) / duration
        }
        return [0..<start + Int64(min(seconds * rate, 1e15))]
    }

    /// Returns the range of the first seconds of a video or audio track; nil for any other track, and if the samples
    /// are in fragments or the tables are damaged.
    ///
    /// - Parameter budget: The number of samples that may still be read.
    private static func range(of track: MovieTrack, _ seconds: Double, _ budget: inout Int) -> Range<Int64>? {
        guard track.media.kind == .video || track.media.kind == .audio else { return nil }
        var cursor = SampleCursor(track.table)
        let limit = seconds * Double(track.media.timescale)
        var range: Range<Int64>?
        while budget > 0, let sample = try? cursor.next(), Double(sample.dts) < limit {
            budget -= 1
            let end = sample.offset + Int64(sample.size)
            range = min(range?.lowerBound ?? .max, sample.offset)..<max(range?.upperBound ?? 0, end)
        }
        return range
    }
}

extension PreloadRanges.Index {
    private static let maximumBoxes = 16
    private static let maximumLength = 64 << 20

    /// Reads the index. Returns nil if it isn't among the first boxes, is too large, or comes after fragments.
    ///
    /// - Throws: `ContainerError` if the file isn't an MP4 or is damaged; the errors of the source.
    init?(_ source: some ByteSource) throws(ContainerError) {
        var boxes = TopLevelBoxes(source)
        for _ in 0..<Self.maximumBoxes {
            guard let header = try boxes.next(), header.type != "moof" else { return nil }
            guard header.type == "moov" else { continue }
            guard header.size <= Self.maximumLength, header.end <= source.length else { return nil }
            let payload = try source.bytes(header.payload, limit: Self.maximumLength)
            movie = try Movie(payload: payload, at: header.payload.lowerBound)
            range = header.offset..<header.end
            return
        }
        return nil
    }
}
