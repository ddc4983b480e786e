/// The edit lists of all tracks. They move the start of the movie to zero and preserve the offsets between tracks
/// (ISO/IEC 14496-12, 8.6.6).
struct MovieTimeline {
    /// The edits of a track and their total duration in the timescale of the movie.
    struct TrackEdits {
        /// The edits; empty if the media is presented unchanged.
        var edits: [Edit] = []
        /// The duration of the track including its delay, in the timescale of the movie.
        var duration: Int64 = 0

        /// Appends `edts`, unless there are no edits.
        func write(to bytes: inout [UInt8]) {
            guard !edits.isEmpty else { return }
            let isLong = edits.contains {
                $0.duration > UInt64(UInt32.max) || ($0.mediaTime ?? 0) > Int64(Int32.max)
            }
            bytes.appendBox("edts") { bytes in
                bytes.appendFullBox("elst", version: isLong ? 1 : 0) { bytes in
                    bytes.appendBigEndian(UInt32(truncatingIfNeeded: edits.count))
                    for edit in edits {
                        bytes.appendBigEndian(edit.duration, isLong: isLong)
                        bytes.appendBigEndian(edit.mediaTime ?? -1, isLong: isLong)
                        bytes.appendBigEndian(edit.rate)
                    }
                }
            }
        }
    }

    /// Ticks per second of the movie: the timescale of a single track, otherwise 90,000, which preserves offsets
    /// between tracks to 11 µs.
    let timescale: Int32
    /// The duration of the longest track.
    let duration: Int64
    let edits: [TrackEdits]

    init(
        tracks: [MovieBuilder.Track], start: (ticks: Int64, timescale: Int32)?, end: (ticks: Int64, timescale: Int32)?
    ) {
        let used = tracks.filter { $0.table.count > 0 }
        let scale = used.count == 1 ? used[0].media.timescale : 90000
        timescale = scale
        let starts = used.map { Self.firstShown($0) }
        let earliest = zip(used, starts).map {
            Timescale.convert($1, from: $0.media.timescale, to: scale)
        }.min()
        let range: ClosedRange<Int64> = -1 << 60...1 << 60
        func inMovie(_ time: (ticks: Int64, timescale: Int32)) -> Int64 {
            let ticks = Timescale.convert(time.ticks, from: time.timescale, to: scale)
            return min(max(ticks, range.lowerBound), range.upperBound)
        }
        let zero = start.map(inMovie) ?? earliest ?? 0
        let last = end.map(inMovie)
        edits = tracks.map { Self.edits(of: $0, zero: zero, last: last, scale: scale) }
        duration = edits.map(\.duration).max() ?? 0
    }

    private static func firstShown(_ track: MovieBuilder.Track) -> Int64 {
        (track.table.firstShown == .max ? track.table.firstDTS : track.table.firstShown)
            .addingClamped(track.media.priming)
    }

    private static func edits(of track: MovieBuilder.Track, zero: Int64, last: Int64?, scale: Int32) -> TrackEdits {
        guard track.table.count > 0 else { return TrackEdits() }
        let own = track.media.timescale
        let first = firstShown(track)
        // An exact comparison would need the finer of the two scales, but half a tick of either is inaudible.
        let firstInMovie = Timescale.convert(first, from: own, to: scale)
        let delay = max(0, firstInMovie.subtractingClamped(zero))
        var begin = first
        if firstInMovie < zero { begin = max(first, Timescale.convert(zero, from: scale, to: own)) }
        // A track with only hidden samples has nothing to present.
        let lastSample = track.table.lastShown == .min ? first : track.table.lastShown
        let lastShown = max(first, min(lastSample, track.shownEnd ?? .max))
        let stop = last.map { Timescale.convert($0, from: scale, to: own) } ?? lastShown
        let shown = max(0, min(stop, lastShown).subtractingClamped(begin))
        let length = Timescale.convert(shown, from: own, to: scale)
        let mediaTime = begin.subtractingClamped(track.table.firstDTS)
        var edits: [Edit] = []
        if delay > 0 { edits.append(Edit(duration: UInt64(delay), mediaTime: nil)) }
        let isWhole = stop >= lastSample
        if !edits.isEmpty || mediaTime != 0 || !isWhole {
            edits.append(Edit(duration: UInt64(length), mediaTime: max(0, mediaTime)))
        }
        return TrackEdits(edits: edits, duration: delay.addingClamped(length))
    }
}
