/// Walks through a track's samples on the timeline of the movie: with the edit list applied.
///
/// The rules are those of FFmpeg's demuxer, so that times are the same as `ffprobe`'s:
/// - An empty edit delays what follows; a later edit begins where the one before it ended.
/// - An edit begins at the last sync sample that is decoded and composed no later than its media time; for sound at a
///   sample up to a second earlier, since decoders need a run-up. Samples outside of the edit are hidden.
/// - The first sample of video that is shown is shown at zero, or where the empty edit ends.
/// - An edit of pictures ends with the sync sample after its end, for pictures that are reordered around it.
public struct EditedSampleCursor: Sendable {
    private let table: SampleTable
    private let isVideo: Bool
    private let isAudio: Bool
    private let timescale: Int32
    private let movieTimescale: Int32
    private let edits: [Edit]
    private let track: Int

    private var cursor: SampleCursor
    private var lookahead: SampleCursor.Entry?
    private var editIndex = 0
    private var mediaBegin: Int64 = 0
    private var mediaEnd: Int64 = .max
    private var clock: Int64 = 0
    private var editEnd: Int64 = 0
    private var skip: Int64 = 0
    private var isInEdit = false
    private var sawSyncAfterEnd = false
    private var dtsShift: Int64 = 0
    private var shift: Int64 = 0
    private var isFirstShownEdit = true
    private var budget: Int

    /// Starts at the first sample of a track.
    ///
    /// - Parameters:
    ///   - track: The track.
    ///   - index: What its samples give as their ``MediaSample/track``.
    ///   - movieTimescale: Ticks per second of the edits' durations.
    ///   - fileLength: The length of the file in bytes: it bounds how many samples are looked at to find an edit.
    /// - Throws: ``ContainerError`` when the tables are damaged or the edit list repeats the media without measure.
    public init(
        _ track: MovieTrack, index: Int, movieTimescale: Int32, fileLength: Int64
    ) throws(ContainerError) {
        table = track.table
        isVideo = track.media.kind == .video
        isAudio = track.media.kind == .audio
        timescale = track.media.timescale
        self.movieTimescale = movieTimescale
        self.track = index
        edits = track.table.sampleCount > 0 ? track.edits.edits : []
        cursor = SampleCursor(track.table)
        // An edit list may show media more than once; a damaged one may do so without end. Samples of one size have no
        // table that bounds their number, but the file has to hold them.
        let most = table.constantSize > 0 ? Int(fileLength) / table.constantSize + 1 : Int.max
        budget = 16 * min(table.sampleCount, most).clamped(to: 1 << 40) + 1024
        dtsShift = largestNegativeOffset()
        guard !edits.isEmpty else {
            lookahead = try cursor.next()
            return
        }
        editEnd = -dtsShift
        if isVideo {
            var rehearsal = self
            shift = try rehearsal.firstShownTime()
        }
    }

    /// The next sample, or nil after the last.
    ///
    /// - Throws: ``ContainerError`` when the tables are damaged, or a time is beyond 2⁵⁹ ticks or 2³³ seconds.
    public mutating func next() throws(ContainerError) -> MediaSample? {
        guard let sample = try following() else { return nil }
        try sample.checkTimes(timescale: timescale, code: .malformed)
        return sample
    }

    private mutating func following() throws(ContainerError) -> MediaSample? {
        guard !edits.isEmpty else {
            guard let entry = lookahead else { return nil }
            lookahead = try cursor.next()
            return sample(entry, dts: entry.dts - dtsShift, isHidden: false)
        }
        while true {
            if !isInEdit {
                guard try enterEdit() else { return nil }
            }
            if let sample = try nextInEdit() { return sample }
            isInEdit = false
        }
    }

    /// The earliest time at which a sample is shown, less the empty edits before: what video is moved by.
    private mutating func firstShownTime() throws(ContainerError) -> Int64 {
        var first = Int64.max
        while let sample = try next() {
            if !sample.isHidden { first = min(first, sample.pts) }
        }
        guard first != .max else { return 0 }
        var empty: Int64 = 0
        for edit in edits {
            guard edit.mediaTime == nil else { break }
            empty = empty.addingClamped(duration(of: edit))
        }
        return max(0, first.subtractingClamped(empty))
    }

    private func largestNegativeOffset() -> Int64 {
        var largest: Int64 = 0
        // FFmpeg leaves the last two entries out of this, and so must who wants its times.
        for index in 0..<max(0, table.compositionOffsets.count - 2) {
            let offset = Int64(Int32(bitPattern: table.field(table.compositionOffsets, index, 1)))
            largest = max(largest, -offset)
        }
        return largest
    }

    private func duration(of edit: Edit) -> Int64 {
        Timescale.convert(Int64(clamping: edit.duration), from: movieTimescale, to: timescale)
    }

    private mutating func enterEdit() throws(ContainerError) -> Bool {
        while editIndex < edits.count {
            let edit = edits[editIndex]
            editIndex += 1
            let begin = editEnd
            let length = duration(of: edit)
            let (end, overflow) = begin.addingReportingOverflow(length)
            guard !overflow else { throw ContainerError(.malformed, "elst: durations overflow", at: table.origin) }
            editEnd = end
            guard let mediaTime = edit.mediaTime else { continue }
            mediaBegin = mediaTime
            // A duration of zero means the rest of the media.
            mediaEnd = edit.duration == 0 ? .max : mediaTime.addingClamped(length)
            try seek(to: mediaTime)
            try rehearse(from: begin)
            isInEdit = true
            isFirstShownEdit = false
            sawSyncAfterEnd = false
            return lookahead != nil
        }
        return false
    }

    /// Places the cursor on the sample that the edit's decoding begins with.
    private mutating func seek(to mediaTime: Int64) throws(ContainerError) {
        let target = isAudio ? max(mediaTime - Int64(timescale), 0) : mediaTime
        var scout = SampleCursor(table)
        var before = scout
        var best = scout
        while let entry = try scout.next() {
            try spend()
            if entry.dts > target { break }
            if entry.isSync, entry.pts <= target { best = before }
            before = scout
        }
        cursor = best
        lookahead = try cursor.next()
    }

    /// Finds how long the run-up to the edit's first shown sample is, so that the run-up's times come before it.
    private mutating func rehearse(from begin: Int64) throws(ContainerError) {
        var scout = cursor
        var entry = lookahead
        var runUp: Int64 = 0
        var isShown = false
        skip = 0
        while let current = entry {
            try spend()
            entry = try scout.next()
            let time = current.pts
            isShown = time >= mediaBegin && time < mediaEnd
            if isShown { break }
            let length = self.length(of: current, before: entry)
            if isAudio, isFirstShownEdit, time < mediaBegin, time.addingClamped(length) > mediaBegin {
                skip = mediaBegin - time
                isShown = true
                break
            }
            runUp = runUp.addingClamped(length)
        }
        clock = isShown ? begin.subtractingClamped(runUp).subtractingClamped(skip) : begin
    }

    private func length(of entry: SampleCursor.Entry, before following: SampleCursor.Entry?) -> Int64 {
        following.map { $0.dts - entry.dts } ?? entry.duration
    }

    private mutating func nextInEdit() throws(ContainerError) -> MediaSample? {
        guard let entry = lookahead else { return nil }
        try spend()
        let following = try cursor.next()
        let length = self.length(of: entry, before: following)
        let time = entry.pts
        // The sample of sound that the edit begins in is shown: its decoder skips the part before.
        let isCutIntoFirst = skip > 0 && time < mediaBegin && time.addingClamped(length) > mediaBegin
        let isHidden = (time < mediaBegin || time >= mediaEnd) && !isCutIntoFirst
        let sample = sample(entry, dts: clock.subtractingClamped(shift), isHidden: isHidden)
        clock = clock.addingClamped(length)
        lookahead = following
        if time.addingClamped(length) >= mediaEnd, entry.isSync || isAudio {
            let isReordered = table.compositionOffsets.count > 0 && !isAudio
            if isReordered, !sawSyncAfterEnd {
                sawSyncAfterEnd = true
            } else {
                lookahead = nil
            }
        }
        return sample
    }

    private func sample(_ entry: SampleCursor.Entry, dts: Int64, isHidden: Bool) -> MediaSample {
        MediaSample(
            track: track, pts: dts.addingClamped(dtsShift + entry.compositionOffset), dts: dts,
            duration: entry.duration, size: entry.size, isSync: entry.isSync, isHidden: isHidden,
            formatIndex: entry.formatIndex, offset: entry.offset)
    }

    private mutating func spend() throws(ContainerError) {
        budget -= 1
        guard budget > 0 else {
            throw ContainerError(.limitExceeded, "elst: the same media many times over", at: table.origin)
        }
    }
}
