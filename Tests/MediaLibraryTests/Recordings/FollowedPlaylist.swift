import HLS
import Testing

@testable import MediaLibrary

/// A simulated encoder's playlist, and the rows that its follower creates from successive loads.
struct FollowedPlaylist {
    static let second: Int64 = 1_000_000_000
    /// The time at which segment 0 starts, unless `began` moves it.
    static let noon = 1_700_000_000 * second

    /// The segment URLs, with `#` for the segment number.
    var names = "http://origin.example/live/#.ts"
    var target = 6
    /// The error of the encoder's clock in seconds; nil if the playlist has no dates.
    var clock: Double? = 0
    /// The media sequence number minus the segment number.
    var shift = 0
    /// The start of segment 0, in seconds after noon.
    var began: Double = 0
    var hasEndList = false
    /// Lines inserted before a segment, by segment number.
    var lines: [Int: String] = [:]
    var header = ""

    var follower = TrackFollower(folder: "video-1")
    var rows: [RecordedSegment] = []
    private var firstDiscontinuities: Int64 = 0
    /// The delay in nanoseconds between another track's clock and the arrival of its segments.
    var otherLag: Int64?
    /// Whether the next load is from another redundant copy.
    var isCopy = false
    /// Whether the next load is from another URL than the last one.
    var hasNewLinks = false
    var others: [DiscontinuityNumbers] = []
    private(set) var outcome: PlaylistReload.Outcome?

    func text(_ numbers: Range<Int>) -> String {
        var text = "#EXTM3U\n#EXT-X-TARGETDURATION:\(target)\n#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound + shift)\n"
        text += header
        for number in numbers {
            if let clock {
                let time = Self.noon + Int64((began + clock) * 1e9) + Int64(number * target) * Self.second
                text += "#EXT-X-PROGRAM-DATE-TIME:\(DateTime(nanosecondsSinceEpoch: time))\n"
            }
            text += lines[number].map { $0 + "\n" } ?? ""
            text += "#EXTINF:\(target),\n\(names.replacing("#", with: String(number)))\n"
        }
        return text + (hasEndList ? "#EXT-X-ENDLIST\n" : "")
    }

    /// Loads a playlist with these segments when the last one ends, or `late` seconds later. Returns the new rows.
    @discardableResult
    mutating func load(_ numbers: Range<Int>, late: Double = 0) throws -> [RecordedSegment] {
        try load(text(numbers), at: began + Double(numbers.upperBound * target) + late)
    }

    /// Loads a playlist at a time in seconds after noon.
    @discardableResult
    mutating func load(_ text: String, at time: Double) throws -> [RecordedSegment] {
        let parsed = try PlaylistParser().parse(Array(text.utf8)).playlist
        guard case .media(let playlist) = parsed else { throw PlaylistReloadError.unknownSegments(0..<0) }
        let result = try follower.take(
            playlist, wall: Self.noon + Int64(time * 1e9), now: .seconds(1000 + time), lag: otherLag,
            otherTracks: others, isCopy: isCopy, hasNewLinks: hasNewLinks)
        if rows.isEmpty { firstDiscontinuities = follower.firstDiscontinuities }
        outcome = result.outcome
        if result.outcome != .stale { isCopy = false }
        for row in result.rows {
            if let last = rows.last {
                #expect(row.number == last.number + 1)
                #expect(row.start >= last.start)
            }
            rows.append(row)
        }
        return result.rows
    }

    /// Continues with the follower of the next process.
    mutating func restart() {
        follower = TrackFollower(
            folder: "video-1", after: Array(rows.suffix(TrackFollower.tailLength)),
            next: rows.last.map { $0.number + 1 }, discontinuities: discontinuities.last ?? 0)
    }

    /// The number of discontinuities up to and including each row.
    var discontinuities: [Int64] {
        var count = firstDiscontinuities
        return rows.map { row in
            if row.isDiscontinuous { count += 1 }
            return count
        }
    }

    var recorded: [String] { rows.names }

    fileprivate static func name(_ row: RecordedSegment) -> String {
        row.url.isEmpty ? "-" : row.url.split(separator: "/").last?.split(separator: "?").first.map(String.init) ?? ""
    }

    /// Returns the start of each row in seconds after noon.
    static func starts(_ rows: [RecordedSegment]) -> [Double] { rows.map { Double($0.start - noon) / 1e9 } }
}

extension [RecordedSegment] {
    /// The last path component of each URL, without its query, or `-` for a gap that was never listed.
    var names: [String] { map(FollowedPlaylist.name) }
}
