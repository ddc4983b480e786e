/// A cursor over a track's samples on the timeline of the movie, with the edit list applied.
///
/// It follows the rules of FFmpeg's demuxer, so that times match those of `ffprobe`:
/// - An empty edit delays the following edits. Each edit begins where the previous one ended.
/// - An edit begins at the last sync sample with decoding and composition times that don't exceed its media time, or
///   for audio the media time minus a second, because decoders need preroll. Samples outside of the edit are hidden.
/// - The first visible video sample is presented at zero, or at the end of the empty edits.
/// - A video edit ends with the first sync sample that reaches its end. If the track has composition offsets, it ends
///   with the second, to include frames reordered around the first.
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
    private var isFirstVisibleEdit = true
    private var budget: Int

    /// Creates a cursor at the first sample of a track. `index` is the ``MediaSample/track`` of the samples, and
    /// `movieTimescale` the unit of edit durations. The length of the file in bytes limits the number of samples
    /// visited. Throws when the tables are damaged or the edit list repeats the media excessively.
    public init(_ track: MovieTrack, index: Int, movieTimescale: Int32, fileLength: Int64) throws(ContainerError) {
        table = track.table
        isVideo = track.media.kind == .video
        isAudio = track.media.kind == .audio
        timescale = track.media.timescale
        self.movieTimescale = movieTimescale
        self.track = index
        edits = track.table.sampleCount > 0 ? track.edits.edits : []
        cursor = SampleCursor(track.table)
        // An edit list may repeat media, and a damaged list may do so endlessly. Samples of constant size have no table
        // that bounds their number, but the file must contain their bytes.
        let maximum = table.constantSize > 0 ? Int(fileLength) / table.constantSize + 1 : Int.max
        budget = 16 * min(table.sampleCount, maximum, 1 << 40) + 1024
        dtsShift = largestNegativeOffset()
        guard !edits.isEmpty else {
            lookahead = try cursor.next()
            return
        }
        editEnd = -dtsShift
        if isVideo {
            var copy = self
            shift = try copy.firstPresentationTime()
        }
    }

    /// Returns the next sample, or nil after the last. Throws for damaged tables or edits, and for times out of bounds.
    public mutating func next() throws(ContainerError) -> MediaSample? {
        guard let sample = try uncheckedNext() else { return nil }
        try sample.checkTimes(timescale: timescale, code: .malformed)
        return sample
    }

    private mutating func uncheckedNext() throws(ContainerError) -> MediaSample? {
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

    /// Returns the shift of video times: the earliest presentation time minus the leading empty edits.
    private mutating func firstPresentationTime() throws(ContainerError) -> Int64 {
        var first = Int64.max
        while let sample = try next() {
            if !sample.isHidden { first = min(first, sample.pts) }
        }
        guard first != .max else { return 0 }
        let empty = edits.prefix { $0.mediaTime == nil }.reduce(Int64(0)) { $0.addingClamped(duration(of: $1)) }
        return max(0, first.subtractingClamped(empty))
    }

    private func largestNegativeOffset() -> Int64 {
        var largest: Int64 = 0
        // FFmpeg ignores the last two entries. They must be ignored here, too, to match its times.
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
            guard !overflow else {
                throw ContainerError(.malformed, "elst: sum of the durations overflows", at: table.origin)
            }
            editEnd = end
            guard let mediaTime = edit.mediaTime else { continue }
            mediaBegin = mediaTime
            // A duration of zero extends to the end of the media.
            mediaEnd = edit.duration == 0 ? .max : mediaTime.addingClamped(length)
            try seek(to: mediaTime)
            try measurePreroll(from: begin)
            isInEdit = true
            isFirstVisibleEdit = false
            sawSyncAfterEnd = false
            return lookahead != nil
        }
        return false
    }

    /// Moves the cursor to the sample at which decoding of the edit begins.
    private mutating func seek(to mediaTime: Int64) throws(ContainerError) {
        let target = isAudio ? max(mediaTime - Int64(timescale), 0) : mediaTime
        var scout = SampleCursor(table)
        var before = scout
        var best = scout
        while let entry = try scout.next() {
            try spendBudget()
            if entry.dts > target { break }
            if entry.isSync, entry.pts <= target { best = before }
            before = scout
        }
        cursor = best
        lookahead = try cursor.next()
    }

    /// Measures the preroll of the edit, so that the first visible sample is presented at `begin`.
    private mutating func measurePreroll(from begin: Int64) throws(ContainerError) {
        var scout = cursor
        var entry = lookahead
        var preroll: Int64 = 0
        var isShown = false
        skip = 0
        while let current = entry {
            try spendBudget()
            entry = try scout.next()
            let time = current.pts
            isShown = time >= mediaBegin && time < mediaEnd
            if isShown { break }
            let length = self.length(of: current, before: entry)
            if isAudio, isFirstVisibleEdit, time < mediaBegin, time.addingClamped(length) > mediaBegin {
                skip = mediaBegin - time
                isShown = true
                break
            }
            preroll = preroll.addingClamped(length)
        }
        clock = isShown ? begin.subtractingClamped(preroll).subtractingClamped(skip) : begin
    }

    private func length(of entry: SampleCursor.Entry, before following: SampleCursor.Entry?) -> Int64 {
        following.map { $0.dts - entry.dts } ?? entry.duration
    }

    private mutating func nextInEdit() throws(ContainerError) -> MediaSample? {
        guard let entry = lookahead else { return nil }
        try spendBudget()
        let following = try cursor.next()
        let length = self.length(of: entry, before: following)
        let time = entry.pts
        // An audio sample that contains the start of the edit is visible. The decoder skips the part before the start.
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

    private mutating func spendBudget() throws(ContainerError) {
        budget -= 1
        guard budget > 0 else {
            throw ContainerError(.limitExceeded, "elst: edits repeat the media too often", at: table.origin)
        }
    }
}
