import HLS
internal import MediaCache

/// A window of one track as a media playlist. Equal rows produce equal bytes.
///
/// A segment has the same number in each playlist (RFC 8216bis §6.2.2). Removed segments are marked as absent
/// (EXT-X-GAP). If there are very many, the next segment follows after a discontinuity, and has a lower number.
struct WindowPlaylist: Sendable {
    /// The maximum number of consecutive removed segments that are written as gaps.
    private static let maximumAbsent: Int64 = 50_000
    /// The maximum in a window that is over. It's lower, because players that don't support EXT-X-GAP request each gap.
    private static let maximumAbsentAtEnd: Int64 = 1800

    var range: TimelineRange
    /// The time at which playback begins, in nanoseconds since 1970; nil if the player decides.
    var begins: Int64?
    /// Whether no more segments will be added.
    var isOver = false
    /// Whether segments are only added, so that the playlist has the type EVENT (RFC 8216bis §4.4.3.5).
    var isGrowing = false
    /// The minimum target duration in seconds, which mustn't change when the playlist is reloaded (RFC 8216bis §6.2.1).
    var targetDuration = 1

    /// The playlist in UTF-8. URIs are relative to the track's folder.
    var bytes: [UInt8] {
        var playlist = MediaPlaylist()
        guard let first = range.segments.first else { return LocalPlaylistWriter.bytes(of: .media(playlist)) }
        playlist.mediaSequence = Int(first.number)
        playlist.discontinuitySequence = Int(clamping: range.discontinuities)
        playlist.hasEndList = isOver
        playlist.type = isOver ? .onDemand : isGrowing ? .event : nil
        if let begins {
            let offset = max(0, begins.clampedSum(-first.start))
            playlist.start = StartPoint(
                timeOffset: DecimalValue(nanoseconds: offset / 1_000_000 * 1_000_000), isPrecise: true)
        }
        playlist.targetDuration = max(1, targetDuration)
        playlist.hasIndependentSegments = range.segments.allSatisfy { $0.isIndependent || $0.state == .gap }
        var writer = Writer(next: first.number, discontinuities: range.discontinuities)
        writer.write(range, isOver: isOver, to: &playlist)
        return LocalPlaylistWriter.bytes(of: .media(playlist))
    }
}

extension WindowPlaylist {
    /// A writer of consecutive rows.
    fileprivate struct Writer {
        /// The prefix of the segments' names in an I-frame playlist; nil in other playlists.
        var iFramePrefix: String?
        /// The media sequence number of the next segment.
        var next: Int64
        /// The number of discontinuities before the next segment.
        var discontinuities: Int64
        /// The properties of the last row that later rows depend on.
        private var last: (number: Int64, end: Int64, targetDuration: Int)?
        private var dates = SegmentDates()
        private var conditions = RecordedConditions()
        /// A segment with ``conditions``, copied for consecutive rows.
        private var template = MediaSegment(uri: "", duration: .zero)

        init(next: Int64, discontinuities: Int64) {
            self.next = next
            self.discontinuities = discontinuities
        }

        /// Writes a range, and gaps in place of the segments removed inside it, unless there are very many. Increases
        /// the playlist's target duration as far as necessary.
        mutating func write(_ range: TimelineRange, isOver: Bool, to playlist: inout MediaPlaylist) {
            playlist.segments.reserveCapacity(range.segments.count)
            let maximum = isOver ? WindowPlaylist.maximumAbsentAtEnd : WindowPlaylist.maximumAbsent
            var target = playlist.targetDuration ?? 1
            // Rows are accessed in place, because copying one would retain all objects it refers to.
            range.segments.withUnsafeBufferPointer { rows in
                for index in rows.indices {
                    let number = rows[index].number
                    let missing = number - next
                    if missing > 0, missing <= maximum {
                        writeAbsent(before: rows[index], discontinuities: range.jumps[number], to: &playlist.segments)
                    }
                    target = max(target, rows[index].minimumTargetDuration)
                    write(rows[index], to: &playlist.segments)
                }
            }
            playlist.targetDuration = target
        }

        private mutating func write(_ row: RecordedSegment, to segments: inout [MediaSegment]) {
            let isJump = last.map { $0.number + 1 != row.number } ?? false
            // The first frame is only known in segments without keys and media initialization sections.
            if iFramePrefix == nil, row.conditions != conditions {
                conditions = row.conditions
                template = MediaSegment(uri: "", duration: .zero)
                if !row.conditions.keys.isEmpty { template.keys = row.conditions.keys }
                if row.conditions.map != nil { template.map = row.conditions.map }
            }
            var segment = template
            segment.duration = DecimalValue(nanoseconds: row.duration)
            segment.isDiscontinuous = row.isDiscontinuous || isJump
            segment.programDateTime = dates.date(of: row, isDiscontinuous: segment.isDiscontinuous)
            if let iFramePrefix {
                segment.isGap = row.firstFrameLength == 0
                segment.uri = segment.isGap ? AssetPartNaming.gap : iFramePrefix + row.name
                if !segment.isGap { segment.byteRange = ByteRange(length: Int(row.firstFrameLength), offset: 0) }
            } else {
                segment.isGap = row.state == .gap
                segment.uri = segment.isGap ? AssetPartNaming.gap : row.name
                for tag in row.tags {
                    let parts = tag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                    segment.tags.append(
                        .unknown(UnknownTag(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : nil)))
                }
                if row.number != next, row.conditions.keys.contains(where: \.usesImplicitVector) {
                    segment.keys = row.conditions.keys.map { $0.withVector(of: row.number) }
                }
            }
            segments.append(segment)
            next += 1
            if row.isDiscontinuous { discontinuities += 1 }
            last = (row.number, row.end, row.targetDuration)
        }

        /// Writes the absent segments between the last row and the given one.
        private mutating func writeAbsent(
            before row: RecordedSegment, discontinuities upTo: Int64?, to segments: inout [MediaSegment]
        ) {
            guard let before = last else { return }
            let (count, time) = (row.number - next, max(0, row.start - before.end))
            var lost = (upTo ?? discontinuities) - discontinuities
            let duration = min(time / count, Int64(max(1, before.targetDuration)) * 1_000_000_000)
            for index in 0..<count {
                var absent = RecordedSegment(
                    number: next, start: before.end + time / count * index, duration: duration,
                    targetDuration: before.targetDuration, state: .gap)
                absent.conditions = conditions
                absent.isDiscontinuous = lost > 0
                lost -= 1
                write(absent, to: &segments)
            }
        }
    }
}

/// The dates that a player derives from EXT-X-PROGRAM-DATE-TIME and durations (RFC 8216bis §4.4.4.6).
struct SegmentDates {
    /// The maximum difference of a segment's derived date from its start: the resolution of dates, in nanoseconds.
    private static let tolerance: Int64 = 1_000_000

    private var next: Int64?

    /// Returns the date to write before the next segment; nil if the derived date is correct.
    mutating func date(of row: RecordedSegment, isDiscontinuous: Bool) -> DateTime? {
        let isWritten = isDiscontinuous || next.map { abs($0.clampedSum(-row.start)) > Self.tolerance } ?? true
        let start = isWritten ? row.start / 1_000_000 * 1_000_000 : next ?? row.start
        next = start.clampedSum(row.duration)
        return isWritten ? DateTime(nanosecondsSinceEpoch: start) : nil
    }
}

extension EncryptionKey {
    /// Whether the segment's number is the initialization vector, as in the key format `identity` (RFC 8216bis §5.2).
    var usesImplicitVector: Bool { method != .none && iv == nil && !isManagedByDRM }

    /// Returns the key with an explicit initialization vector, for a segment whose media sequence number has changed.
    fileprivate func withVector(of number: Int64) -> EncryptionKey {
        guard usesImplicitVector else { return self }
        var key = self
        key.iv = HexadecimalSequence(bytes: initializationVector(mediaSequence: Int(number)))
        return key
    }
}

/// An I-frame playlist (EXT-X-I-FRAMES-ONLY, RFC 8216bis §4.4.3.6) with the first frame of each segment in a window.
/// Players show these frames while seeking.
package struct IFramePlaylist: Sendable {
    package var range: TimelineRange
    /// The prefix of the segments' names.
    package var prefix: String
    /// Whether no more segments will be added.
    package var isOver: Bool

    /// Whether no segment is known to begin with a frame that can be decoded independently.
    package var isEmpty: Bool { !range.segments.contains { $0.firstFrameLength > 0 } }

    /// The playlist in UTF-8. The segments have the same numbers as in other playlists.
    package var bytes: [UInt8] {
        var playlist = MediaPlaylist(targetDuration: 1)
        playlist.hasIFramesOnly = true
        playlist.mediaSequence = Int(range.segments.first?.number ?? 0)
        playlist.discontinuitySequence = Int(clamping: range.discontinuities)
        playlist.hasEndList = isOver
        var writer = WindowPlaylist.Writer(
            next: range.segments.first?.number ?? 0, discontinuities: range.discontinuities)
        writer.iFramePrefix = prefix
        writer.write(range, isOver: isOver, to: &playlist)
        return LocalPlaylistWriter.bytes(of: .media(playlist))
    }
}
