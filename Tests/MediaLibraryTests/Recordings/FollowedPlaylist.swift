import HLS
import Testing

@testable import MediaLibrary

/// A playlist as an encoder writes it, load after load, and what a follower makes of it.
struct FollowedPlaylist {
    static let second: Int64 = 1_000_000_000
    /// When the first segment of an encoder that counts from 0 begins.
    static let noon = 1_700_000_000 * second

    /// What an encoder's segments are called, with `#` for their number.
    var names = "http://origin.example/live/#.ts"
    var target = 6
    /// How far its clock is from the right time, in seconds; nil for none.
    var clock: Double? = 0
    /// What its media sequence numbers are above its segments' numbers.
    var shift = 0
    /// When its segment number 0 began, in seconds after noon.
    var began: Double = 0
    var hasEndList = false
    /// Lines before a segment.
    var lines: [Int: String] = [:]
    /// Lines before the first.
    var header = ""

    var follower = TrackFollower(folder: "video-1")
    var rows: [RecordedSegment] = []
    private var firstDiscontinuities: Int64 = 0
    /// How far another track's clock is behind the arrival of its segments.
    var otherLag: Int64?
    /// Whether what is loaded is another redundant copy.
    var isCopy = false
    /// How other tracks count discontinuities.
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

    /// The playlist has these segments; it's loaded when the last of them ends, or so many seconds later.
    ///
    /// - Returns: the rows that are new.
    @discardableResult
    mutating func load(_ numbers: Range<Int>, late: Double = 0) throws -> [RecordedSegment] {
        try load(text(numbers), at: began + Double(numbers.upperBound * target) + late)
    }

    /// A playlist that comes so many seconds after noon.
    @discardableResult
    mutating func load(_ text: String, at time: Double) throws -> [RecordedSegment] {
        let parsed = try PlaylistParser().parse(Array(text.utf8)).playlist
        guard case .media(let playlist) = parsed else { throw PlaylistReloadError.unknownSegments(0..<0) }
        let taken = try follower.take(
            playlist, wall: Self.noon + Int64(time * 1e9), now: .seconds(1000 + time), lag: otherLag,
            besides: others, isCopy: isCopy)
        if rows.isEmpty { firstDiscontinuities = follower.firstDiscontinuities }
        outcome = taken.outcome
        if taken.outcome != .stale { isCopy = false }
        // What the timeline asks of rows.
        for row in taken.rows {
            if let last = rows.last {
                #expect(row.number == last.number + 1)
                #expect(row.start >= last.start)
            }
            rows.append(row)
        }
        return taken.rows
    }

    /// The follower of the next process.
    mutating func restart() {
        follower = TrackFollower(
            folder: "video-1", after: Array(rows.suffix(TrackFollower.tailLength)),
            next: rows.last.map { $0.number + 1 }, discontinuities: discontinuities.last ?? 0)
    }

    /// How many discontinuities there are up to each row.
    var discontinuities: [Int64] {
        var count = firstDiscontinuities
        return rows.map { row in
            if row.isDiscontinuous { count += 1 }
            return count
        }
    }

    /// What is recorded: the names' last components, and `-` for each gap.
    var recorded: [String] { rows.map(Self.name) }

    static func name(_ row: RecordedSegment) -> String {
        row.url.isEmpty ? "-" : row.url.split(separator: "/").last?.split(separator: "?").first.map(String.init) ?? ""
    }

    /// When rows begin, in seconds after noon.
    static func starts(_ rows: [RecordedSegment]) -> [Double] { rows.map { Double($0.start - noon) / 1e9 } }
}
