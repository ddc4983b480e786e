/// A cursor over the samples of a track fragment in decoding order.
struct FragmentSampleCursor: Sendable {
    private let bytes: [UInt8]
    private let fragment: TrackFragment
    private let isAudio: Bool
    private let timescale: Int32
    private let timeOffset: Int64
    private let dtsShift: Int64
    private var runIndex = 0
    private var index = 0
    private var position: Int64
    /// The decoding time of the next sample, before the edit list is applied.
    private(set) var dts: Int64

    /// Creates a cursor at the first sample. `bytes` is the payload of `moof`. The edit list subtracts `timeOffset`
    /// from all times. `dtsShift` is subtracted from decoding times, so that no sample is presented before it is
    /// decoded. A fragment without a decoding time begins at `previousEnd`.
    init(
        bytes: [UInt8], fragment: TrackFragment, track: MovieTrack, timeOffset: Int64, dtsShift: Int64,
        previousEnd: Int64
    ) {
        self.bytes = bytes
        self.fragment = fragment
        isAudio = track.media.kind == .audio
        timescale = track.media.timescale
        self.timeOffset = timeOffset
        self.dtsShift = dtsShift
        dts = fragment.baseDecodeTime ?? previousEnd
        position = fragment.runs.first?.offset ?? 0
    }

    /// Returns the next sample, or nil after the last. Throws `malformed` when a time exceeds the bounds of
    /// ``Timescale``.
    mutating func next() throws(ContainerError) -> MediaSample? {
        while runIndex < fragment.runs.count {
            let run = fragment.runs[runIndex]
            if index < run.count {
                let sample = sample(run)
                try sample.checkTimes(timescale: timescale, code: .malformed)
                return sample
            }
            index = 0
            runIndex += 1
            if runIndex < fragment.runs.count { position = fragment.runs[runIndex].offset }
        }
        return nil
    }

    /// Returns the decoding time after the last sample, without moving the cursor.
    func end() throws(ContainerError) -> Int64 {
        var copy = self
        while try copy.next() != nil {}
        return copy.dts
    }

    private mutating func sample(_ run: TrackFragment.Run) -> MediaSample {
        var field = run.start + index * run.width
        func take(_ mask: UInt32) -> UInt32? {
            guard run.flags & mask != 0, field + 4 <= bytes.count else { return nil }
            defer { field += 4 }
            return bytes.withUnsafeBytes {
                UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: field, as: UInt32.self))
            }
        }
        let duration = Int64(take(0x100) ?? fragment.defaults.duration)
        let size = Int64(take(0x200) ?? fragment.defaults.size)
        var flags = take(0x400) ?? fragment.defaults.flags
        if index == 0, let first = run.firstSampleFlags { flags = first }
        let composition = Int64(Int32(bitPattern: take(0x800) ?? 0))
        // sample_is_non_sync_sample, or sample_depends_on 1 (8.8.3.1).
        let isSync = isAudio || flags & 0x0101_0000 == 0
        let shown = dts.subtractingClamped(timeOffset)
        let sample = MediaSample(
            track: fragment.track, pts: shown.addingClamped(composition), dts: shown.subtractingClamped(dtsShift),
            duration: duration, size: Int(size), isSync: isSync,
            formatIndex: max(0, Int(fragment.defaults.descriptionIndex) - 1), offset: position)
        dts = dts.addingClamped(duration)
        position = position.addingClamped(size)
        index += 1
        return sample
    }
}
