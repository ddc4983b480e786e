internal import Foundation
import HLS
internal import MediaCache

/// Makes rows of a timeline of what a track's playlist says, load after load: a pure value.
///
/// What a playlist moved past before anybody saw it becomes gaps. A media sequence that begins anew is recognised, and so
/// are an encoder that starts again with the same names, and a playlist that only counts differently from now on.
struct TrackFollower: Sendable {
    /// How many of the last rows are compared with a playlist after a restart.
    static let tailLength = 1000
    /// The most gaps that stand for one loss.
    private static let mostGaps = 100_000
    /// A companion is recognised among so many before it.
    private static let companionsRemembered = 8

    /// The playlist as it was loaded last, whole.
    private(set) var known: MediaPlaylist?
    /// The number of the next row.
    private(set) var next: Int64?
    /// What a row's number is above its number at the origin.
    private var offset: Int64 = 0
    private var clock: TimelineClock
    private var companions: [RecordedConditions.Companion] = []
    private var nextCompanion: Int64
    /// How keys and sections were written at the origin, and what they are here.
    private var conditions: (keys: [EncryptionKey], map: MediaInitializationSection?, local: RecordedConditions)?
    /// When something new came last, and a playlist that was older than what is known.
    private var changed: Duration = .zero
    private var stale: MediaPlaylist?
    /// Whether the next row doesn't go on from the one before.
    private var isBroken = false
    private let folder: String

    /// A follower of a track in `folder`.
    ///
    /// - Parameters:
    ///   - tail: what was recorded before, the last `tailLength` rows of it.
    ///   - next: the number of the next row; nil where nothing was recorded.
    init(folder: String, after tail: [RecordedSegment] = [], next: Int64? = nil) {
        self.folder = folder
        self.next = next
        nextCompanion = 1
        guard let last = tail.last else {
            clock = TimelineClock()
            return
        }
        clock = TimelineClock(end: last.end)
        offset = last.number - Int64(last.originSequence)
        companions = last.conditions.companions
        nextCompanion = (tail.flatMap(\.conditions.companions).map(\.number).max() ?? 0) + 1
        // Those that go on from each other to the end, as the origin counts.
        let run = tail.suffix(Self.tailLength).reversed().prefix { row in
            !row.url.isEmpty && row.number - Int64(row.originSequence) == offset
        }
        guard !run.isEmpty else {
            isBroken = true
            return
        }
        var playlist = MediaPlaylist(targetDuration: last.targetDuration)
        playlist.segments = run.reversed().map { row in
            var segment = MediaSegment(uri: row.url, duration: DecimalValue(nanoseconds: row.duration))
            segment.byteRange = row.range.map { ByteRange(length: Int($0.count), offset: Int($0.lowerBound)) }
            return segment
        }
        playlist.mediaSequence = run.last?.originSequence ?? 0
        known = playlist
    }

    /// Whether the playlist says that nothing more comes.
    var hasEndList: Bool { known?.hasEndList ?? false }

    /// Whether a row is still in the playlist.
    func isPresent(_ row: RecordedSegment) -> Bool {
        guard let known, row.number - Int64(row.originSequence) == offset else { return false }
        return (known.firstMediaSequence..<known.nextMediaSequence).contains(row.originSequence)
    }

    /// Takes a playlist as it was loaded.
    ///
    /// - Parameters:
    ///   - update: the playlist, its URIs absolute; whole or a delta update.
    ///   - wall: the time by the wall clock at which it came, in nanoseconds since 1970.
    ///   - now: the same by a clock that never jumps.
    ///   - shared: when segments of other tracks begin, by the number that they have at the origin.
    /// - Returns: the rows that are new, and what the load brought.
    /// - Throws: `PlaylistReloadError`: the whole playlist has to be loaded.
    mutating func take(
        _ update: MediaPlaylist, wall: Int64, now: Duration, shared: inout [Int: Int64]
    ) throws(PlaylistReloadError) -> (rows: [RecordedSegment], outcome: PlaylistReload.Outcome) {
        guard let known else {
            guard !update.segments.isEmpty else { return ([], .stale) }
            changed = now
            self.known = update
            let first = update.firstMediaSequence
            return (rows(first..<update.nextMediaSequence, of: update, missed: 0, wall, &shared), .updated)
        }
        let reload = try known.reloaded(with: update)
        switch reload.outcome {
        case .stale where isNewEncoder(reload.playlist, update, now):
            return (begin(update, wall, now, &shared), .reset)
        case .stale:
            if !update.segments.isEmpty { stale = update }
            return ([], .stale)
        case .unchanged:
            self.known = reload.playlist
            return ([], .unchanged)
        case .reset:
            if let shift = Self.shift(from: known, to: update) {
                // It only counts differently.
                offset -= Int64(shift)
                self.known = update
                changed = now
                let start = known.nextMediaSequence + shift
                return (
                    rows(start..<max(start, update.nextMediaSequence), of: update, missed: 0, wall, &shared), .updated
                )
            }
            return (begin(update, wall, now, &shared), .reset)
        case .updated:
            changed = now
            stale = nil
            self.known = reload.playlist
            return (
                rows(reload.newSegments, of: reload.playlist, missed: reload.missedSegments.count, wall, &shared),
                .updated
            )
        }
    }

    // MARK: - Beginnings

    /// The media sequence begins anew.
    private mutating func begin(
        _ update: MediaPlaylist, _ wall: Int64, _ now: Duration, _ shared: inout [Int: Int64]
    ) -> [RecordedSegment] {
        known = update
        changed = now
        stale = nil
        isBroken = true
        // Names may mean something else now.
        companions = []
        conditions = nil
        let new = update.firstMediaSequence..<update.nextMediaSequence
        for sequence in new { shared[sequence] = shared[sequence].flatMap { $0 >= (clock.end ?? 0) ? $0 : nil } }
        return rows(new, of: update, missed: nil, wall, &shared)
    }

    /// What is older than what is known comes from a cache. If nothing else has come for long, and it grows, an encoder has
    /// begun again, with the numbers and the names that it had before.
    private mutating func isNewEncoder(_ known: MediaPlaylist, _ update: MediaPlaylist, _ now: Duration) -> Bool {
        guard let stale, !update.segments.isEmpty, update.skip == nil,
            now - changed >= .seconds(3 * max(1, known.targetDuration ?? 1))
        else { return false }
        return update.nextMediaSequence > stale.nextMediaSequence
    }

    /// How much further on a playlist counts that goes on from what is known, by the names of its segments.
    private static func shift(from known: MediaPlaylist, to update: MediaPlaylist) -> Int? {
        guard let last = known.segments.last, update.skip == nil else { return nil }
        let index = update.segments.lastIndex { isSame($0, last) }
        guard let index else { return nil }
        let overlap = min(index + 1, known.segments.count)
        guard overlap >= 2 || known.segments.count == 1 || index == 0 && update.segments.count > 1 else { return nil }
        let isRun = zip(known.segments.suffix(overlap), update.segments[(index + 1 - overlap)...index]).allSatisfy {
            isSame($0, $1)
        }
        return isRun ? update.firstMediaSequence + index - (known.nextMediaSequence - 1) : nil
    }

    private static func isSame(_ left: MediaSegment, _ right: MediaSegment) -> Bool {
        left.uri.prefix { $0 != "?" } == right.uri.prefix { $0 != "?" }
            && left.byteRange?.offset == right.byteRange?.offset && left.duration == right.duration
            && (left.programDateTime == nil || right.programDateTime == nil
                || left.programDateTime?.nanosecondsSinceEpoch == right.programDateTime?.nanosecondsSinceEpoch)
    }

    // MARK: - Rows

    /// - Parameter missed: how many segments were never seen before the first of these; nil where nobody knows.
    private mutating func rows(
        _ new: Range<Int>, of playlist: MediaPlaylist, missed: Int?, _ wall: Int64, _ shared: inout [Int: Int64]
    ) -> [RecordedSegment] {
        guard !new.isEmpty else { return [] }
        let target = max(1, playlist.targetDuration ?? playlist.segments.last?.duration.roundedUp ?? 1)
        let resolved = Array(playlist.resolvedSegments)
        let total = resolved.last.map { $0.startNanoseconds + $0.segment.duration.nanoseconds } ?? 0
        var rows: [RecordedSegment] = []
        for segment in resolved where new.contains(segment.mediaSequence) {
            let isFirst = rows.isEmpty
            let isBreak = isFirst && clock.end != nil && (missed != 0 || isBroken)
            let before = clock.end
            let lost = Int64(missed ?? 0) * averageDuration(of: playlist)
            let start = clock.place(
                TimelineClock.Segment(
                    programDateTime: segment.programDateTime?.nanosecondsSinceEpoch,
                    arrival: wall - (total - segment.startNanoseconds),
                    duration: max(0, segment.segment.duration.nanoseconds),
                    missing: isBreak ? (missed ?? 0) > 0 && !isBroken ? .time(lost) : .unknown : nil),
                shared: shared[segment.mediaSequence])
            shared[segment.mediaSequence] = start
            if isBreak, let before {
                rows += gaps(from: before, to: start, missed: missed ?? 0, target: target, before: segment)
            }
            var row = row(segment, start: start, target: target)
            if isBroken, before != nil { row.isDiscontinuous = true }
            isBroken = false
            rows.append(row)
        }
        forget(&shared)
        return rows
    }

    private func averageDuration(of playlist: MediaPlaylist) -> Int64 {
        playlist.durationNanoseconds / Int64(max(1, playlist.segments.count))
    }

    /// Times of segments long gone are of no use.
    private func forget(_ shared: inout [Int: Int64]) {
        guard shared.count > 4 * Self.tailLength else { return }
        let last = shared.values.max() ?? 0
        let kept = shared.sorted { $0.value > $1.value }.prefix(2 * Self.tailLength)
        shared = Dictionary(uniqueKeysWithValues: kept.filter { $0.value <= last }.map { ($0.key, $0.value) })
    }

    /// What was lost, as so many segments that aren't there.
    private mutating func gaps(
        from start: Int64, to end: Int64, missed: Int, target: Int, before segment: ResolvedSegment
    ) -> [RecordedSegment] {
        let time = end - start
        let length = Int64(target) * 1_000_000_000
        var count = missed
        if count == 0 || time / Int64(count) > length * 3 / 2 || time / Int64(count) < length / 8 {
            count = time < length / 2 && missed == 0 ? 0 : max(1, Int((time + length - 1) / length))
        }
        count = min(count, Self.mostGaps)
        guard count > 0 else { return [] }
        return (0..<count).map { index in
            let lower = start + time * Int64(index) / Int64(count)
            let upper = start + time * Int64(index + 1) / Int64(count)
            var row = RecordedSegment(
                number: takeNumber(segment.mediaSequence - count + index), start: lower, duration: upper - lower,
                targetDuration: target, state: .gap)
            row.originSequence = segment.mediaSequence - count + index
            return row
        }
    }

    /// The first number is the origin's, so that keys without vectors keep theirs.
    private mutating func takeNumber(_ sequence: Int) -> Int64 {
        let number = next ?? (0..<(1 << 40)).clamped(to: sequence..<(sequence + 1)).first.map(Int64.init) ?? 0
        next = number + 1
        return number
    }

    private mutating func row(_ resolved: ResolvedSegment, start: Int64, target: Int) -> RecordedSegment {
        let segment = resolved.segment
        let number = takeNumber(resolved.mediaSequence)
        offset = number - Int64(resolved.mediaSequence)
        var row = RecordedSegment(
            number: number, start: start, duration: max(0, segment.duration.nanoseconds), targetDuration: target,
            state: segment.isGap ? .gap : .awaited)
        row.isDiscontinuous = segment.isDiscontinuous
        row.originSequence = resolved.mediaSequence
        row.url = segment.uri
        row.range = resolved.byteRange.map { Int64($0.lowerBound)..<Int64($0.upperBound) }
        row.tags = segment.tags.compactMap(Self.text)
        guard !segment.isGap else { return row }
        guard let url = try? ResourceURL(segment.uri) else {
            row.state = .gap
            return row
        }
        row.ending = LocalNames.ending(of: url, hasMap: segment.map != nil, folder: folder)
        row.conditions = localConditions(resolved, isAligned: number == Int64(resolved.mediaSequence))
        return row
    }

    private static func text(_ tag: SegmentTag) -> String? {
        guard !LocalTags.isLeftOut(tag) else { return nil }
        return switch tag {
        case .dateRange(let range): "\(PlaylistTag.dateRange.rawValue):\(range.attributes)"
        case .cue(let cue): cue.tag.rawValue + (cue.value.map { ":" + $0 } ?? "")
        case .unknown(let tag): tag.name + (tag.value.map { ":" + $0 } ?? "")
        case .programDateTime, .bitrate, .part, .durationParameters: nil
        }
    }

    // MARK: - Keys and sections

    private mutating func localConditions(_ resolved: ResolvedSegment, isAligned: Bool) -> RecordedConditions {
        let segment = resolved.segment
        if let conditions, conditions.keys == segment.keys, conditions.map == segment.map,
            isAligned || !segment.keys.contains(where: \.lacksVector)
        {
            return conditions.local
        }
        var local = RecordedConditions()
        local.keys = segment.keys.map { localKey($0, resolved, isAligned, &local) }
        if var map = segment.map {
            let range = map.byteRange.map {
                Int64($0.offset ?? 0)..<Int64($0.offset ?? 0).clampedSum(Int64(max(0, $0.length)))
            }
            map.keys = map.keys.map { localKey($0, resolved, true, &local) }
            if let url = try? ResourceURL(map.uri) {
                let companion = companion(.initializationSection, map.uri, range) { number in
                    "init-\(number).\(["m4s", "m4v", "m4a"].contains(url.pathExtension) ? url.pathExtension : "mp4")"
                }
                local.companions.append(companion)
                map.uri = companion.name
                map.byteRange = nil
            }
            local.map = map
        }
        conditions = (segment.keys, segment.map, local)
        return local
    }

    private mutating func localKey(
        _ key: EncryptionKey, _ resolved: ResolvedSegment, _ isAligned: Bool, _ local: inout RecordedConditions
    ) -> EncryptionKey {
        var own = key
        if key.lacksVector, !isAligned, SegmentCipher(key.method) != nil {
            own.iv = HexadecimalSequence(bytes: resolved.initializationVector(for: key))
        }
        guard let uri = key.uri, !LocalTags.isForeign(key), DataURL.bytes(of: uri) == nil,
            (try? ResourceURL(uri)) != nil
        else { return own }
        // Of media, since else ffmpeg doesn't open it.
        let companion = companion(.key, uri, nil) { "key-\($0).key.ts" }
        if !local.companions.contains(companion) { local.companions.append(companion) }
        own.uri = companion.name
        return own
    }

    private mutating func companion(
        _ role: AssetPart.Role, _ url: String, _ range: Range<Int64>?, name: (Int64) -> String
    ) -> RecordedConditions.Companion {
        if let known = companions.first(where: { $0.role == role && $0.url == url && $0.range == range }) {
            return known
        }
        let companion = RecordedConditions.Companion(
            number: nextCompanion, role: role, url: url, range: range, name: name(nextCompanion))
        nextCompanion += 1
        companions = companions.suffix(Self.companionsRemembered - 1) + [companion]
        return companion
    }
}
