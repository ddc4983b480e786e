import HLS
internal import MediaCache

/// A window of one track as a media playlist. The same rows always give the same bytes.
///
/// A segment has its own number in each (RFC 8216bis §6.2.2), whether the window is loaded again and again or over: what was
/// given up in its midst is absent (EXT-X-GAP), one by one. Where that is very much, what stands behind follows at once,
/// after a discontinuity.
package struct WindowPlaylist: Sendable {
    /// The most segments that are told as absent one by one.
    private static let mostAbsent: Int64 = 50_000
    /// The same where the window is over. Players that don't know the tag ask for each of them.
    private static let mostAbsentAtEnd: Int64 = 1800

    /// What there is of the window.
    package var stretch: TimelineStretch
    /// The moment where playing is to begin, in nanoseconds since 1970; nil leaves that to the player.
    package var begins: Int64?
    /// Whether nothing will be added.
    package var isOver: Bool
    /// Whether segments are only added, and none is removed: an event, for as long as there is the playlist (RFC 8216bis
    /// §4.4.3.5).
    package var isGrowing: Bool
    /// The least target duration, in seconds: that of a playlist that is loaded again mustn't change (RFC 8216bis §6.2.1).
    package var targetDuration: Int

    /// A playlist; without further arguments one that slides.
    package init(
        _ stretch: TimelineStretch, begins: Int64? = nil, isOver: Bool = false, isGrowing: Bool = false,
        targetDuration: Int = 1
    ) {
        self.targetDuration = targetDuration
        self.stretch = stretch
        self.begins = begins
        self.isOver = isOver
        self.isGrowing = isGrowing
    }

    /// The playlist, in UTF-8. Its segments' URIs are names in the track's folder.
    package var bytes: [UInt8] {
        var playlist = MediaPlaylist()
        guard let first = stretch.segments.first else { return LocalPlaylistWriter.bytes(of: .media(playlist)) }
        playlist.mediaSequence = Int(first.number)
        playlist.discontinuitySequence = Int(clamping: stretch.discontinuities)
        playlist.hasEndList = isOver
        playlist.type = isOver ? .onDemand : isGrowing ? .event : nil
        if let begins {
            let offset = max(0, begins.clampedSum(-first.start))
            playlist.start = StartPoint(
                timeOffset: DecimalValue(nanoseconds: offset / 1_000_000 * 1_000_000), isPrecise: true)
        }
        playlist.segments.reserveCapacity(stretch.segments.count)
        var target = max(1, targetDuration)
        playlist.hasIndependentSegments = stretch.segments.allSatisfy { $0.isIndependent || $0.state == .gap }
        var writer = Writer(next: first.number, discontinuities: stretch.discontinuities)
        // In their place: taken out of the array, a row would be copied with all that it refers to.
        stretch.segments.withUnsafeBufferPointer { rows in
            for index in rows.indices {
                let number = rows[index].number
                let missing = number - writer.next
                if missing > 0, missing <= (isOver ? Self.mostAbsentAtEnd : Self.mostAbsent) {
                    writer.writeAbsent(
                        before: rows[index], discontinuities: stretch.jumps[number], to: &playlist.segments)
                }
                target = max(target, rows[index].leastTarget)
                writer.write(rows[index], to: &playlist.segments)
            }
        }
        playlist.targetDuration = target
        return LocalPlaylistWriter.bytes(of: .media(playlist))
    }
}

extension WindowPlaylist {
    /// Writes row after row.
    private struct Writer {
        /// The number that the next segment is counted as.
        var next: Int64
        /// How many discontinuities stand before it.
        var discontinuities: Int64
        /// What is needed of the row before.
        private var last: (number: Int64, end: Int64, targetDuration: Int)?
        private var dates = SegmentDates()
        private var conditions = RecordedConditions()
        /// A segment with these conditions: those that follow each other share them.
        private var template = MediaSegment(uri: "", duration: .zero)

        init(next: Int64, discontinuities: Int64) {
            self.next = next
            self.discontinuities = discontinuities
        }

        mutating func write(_ row: RecordedSegment, to segments: inout [MediaSegment]) {
            let isJump = last.map { $0.number + 1 != row.number } ?? false
            if row.conditions != conditions {
                conditions = row.conditions
                template = MediaSegment(uri: "", duration: .zero)
                if !row.conditions.keys.isEmpty { template.keys = row.conditions.keys }
                if row.conditions.map != nil { template.map = row.conditions.map }
            }
            var segment = template
            segment.uri = row.state == .gap ? LocalNames.gap : row.name
            segment.duration = DecimalValue(nanoseconds: row.duration)
            segment.isGap = row.state == .gap
            segment.isDiscontinuous = row.isDiscontinuous || isJump
            segment.programDateTime = dates.date(of: row, isDiscontinuous: segment.isDiscontinuous)
            for tag in row.tags {
                let parts = tag.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                segment.tags.append(
                    .unknown(UnknownTag(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : nil)))
            }
            if row.number != next, row.conditions.keys.contains(where: \.lacksVector) {
                segment.keys = row.conditions.keys.map { $0.withVector(of: row.number) }
            }
            segments.append(segment)
            next += 1
            if row.isDiscontinuous { discontinuities += 1 }
            last = (row.number, row.end, row.targetDuration)
        }

        /// What stood between the last segment and this one.
        mutating func writeAbsent(
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

/// The dates that a player derives for segments: from the last EXT-X-PROGRAM-DATE-TIME before them, and the durations since
/// (RFC 8216bis §4.4.4.6).
struct SegmentDates {
    /// How far the derived date of a segment may be from its start, in nanoseconds: dates are written in whole milliseconds.
    private static let tolerance: Int64 = 1_000_000

    private var next: Int64?

    /// Returns the date to write before the next segment; nil where the derived one is right.
    mutating func date(of row: RecordedSegment, isDiscontinuous: Bool) -> DateTime? {
        let isWritten = isDiscontinuous || next.map { abs($0.clampedSum(-row.start)) > Self.tolerance } ?? true
        let start = isWritten ? row.start / 1_000_000 * 1_000_000 : next ?? row.start
        next = start.clampedSum(row.duration)
        return isWritten ? DateTime(nanosecondsSinceEpoch: start) : nil
    }
}

extension EncryptionKey {
    /// Whether the segment's media sequence number stands in for the initialization vector (RFC 8216bis §5.2).
    var lacksVector: Bool { method != .none && iv == nil }

    /// The key with the vector that it means where it doesn't name one: the segment's number (RFC 8216bis §5.2), which it
    /// doesn't have in every playlist.
    fileprivate func withVector(of number: Int64) -> EncryptionKey {
        guard lacksVector, SegmentCipher(method) != nil else { return self }
        var key = self
        key.iv = HexadecimalSequence(bytes: initializationVector(mediaSequence: Int(number)))
        return key
    }
}
