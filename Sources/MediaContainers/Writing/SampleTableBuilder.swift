/// A builder that collects the samples of a track in the tables of `stbl` (ISO/IEC 14496-12, 8.6 and 8.7).
struct SampleTableBuilder: Sendable {
    /// Consecutive samples with an equal value.
    struct Run: Sendable {
        var count: UInt32
        var value: Int32
    }

    private(set) var sizes: [UInt32] = []
    private(set) var durations: [Run] = []
    private(set) var offsets: [Run] = []
    private(set) var syncSamples: [UInt32] = []
    /// The decoding time of the first sample, which is the zero of the media, in the timescale of the track.
    private(set) var firstDTS: Int64 = 0
    /// The earliest presentation time of a visible sample.
    private(set) var firstShown = Int64.max
    /// The latest end of a visible sample.
    private(set) var lastShown = Int64.min
    private var lastDTS: Int64 = 0
    private var lastDuration: Int64 = 0
    private var hasNegativeOffset = false

    var count: Int { sizes.count }

    /// The sum of all durations. A sample lasts until the next one, and the last sample for its stated duration.
    var mediaDuration: Int64 { count == 0 ? 0 : lastDTS - firstDTS + lastDuration }

    /// Whether every sample is a sync sample, so that `stss` is omitted.
    var isAllSync: Bool { syncSamples.count == sizes.count }

    /// Adds the next sample. Throws when decoding times decrease, or a value doesn't fit its field.
    mutating func add(_ sample: MediaSample) throws(ContainerError) {
        guard let size = UInt32(exactly: sample.size) else {
            throw ContainerError(.unrepresentable, "sample of \(sample.size) bytes is too large")
        }
        if sizes.isEmpty {
            firstDTS = sample.dts
        } else {
            guard sample.dts >= lastDTS else {
                throw ContainerError(
                    .malformed, "decoding time decreases from \(lastDTS) to \(sample.dts)",
                    advice: "Join the timelines before writing")
            }
            try append(duration: sample.dts - lastDTS)
        }
        guard let offset = Int32(exactly: sample.pts - sample.dts) else {
            throw ContainerError(
                .unrepresentable, "composition offset of \(sample.pts - sample.dts) ticks doesn't fit 32 bits")
        }
        Self.extend(&offsets, by: offset)
        if offset < 0 { hasNegativeOffset = true }
        lastDTS = sample.dts
        lastDuration = sample.duration
        sizes.append(size)
        if sample.isSync { syncSamples.append(UInt32(truncatingIfNeeded: sizes.count)) }
        guard !sample.isHidden else { return }
        firstShown = min(firstShown, sample.pts)
        lastShown = max(lastShown, sample.pts.addingClamped(sample.duration))
    }

    private mutating func append(duration: Int64) throws(ContainerError) {
        guard let fitting = UInt32(exactly: duration) else {
            throw ContainerError(.unrepresentable, "sample duration of \(duration) ticks doesn't fit 32 bits")
        }
        Self.extend(&durations, by: Int32(bitPattern: fitting))
    }

    private static func extend(_ runs: inout [Run], by value: Int32) {
        if let last = runs.indices.last, runs[last].value == value {
            runs[last].count += 1
        } else {
            runs.append(Run(count: 1, value: value))
        }
    }

    /// Appends `stts`, `ctts`, `stss` and `stsz`.
    func write(to bytes: inout [UInt8]) {
        var times = durations
        if count > 0 { Self.extend(&times, by: Int32(bitPattern: UInt32(clamping: lastDuration))) }
        bytes.appendFullBox("stts") { Self.write(times, to: &$0) }
        if offsets.contains(where: { $0.value != 0 }) {
            bytes.appendFullBox("ctts", version: hasNegativeOffset ? 1 : 0) { Self.write(offsets, to: &$0) }
        }
        if !isAllSync {
            bytes.appendFullBox("stss") { bytes in
                bytes.appendBigEndian(UInt32(truncatingIfNeeded: syncSamples.count))
                for sample in syncSamples { bytes.appendBigEndian(sample) }
            }
        }
        bytes.appendFullBox("stsz") { bytes in
            let constant = sizes.first.flatMap { first in sizes.allSatisfy { $0 == first } ? first : nil } ?? 0
            bytes.appendBigEndian(constant)
            bytes.appendBigEndian(UInt32(truncatingIfNeeded: sizes.count))
            guard constant == 0 else { return }
            bytes.reserveCapacity(bytes.count + sizes.count * 4)
            for size in sizes { bytes.appendBigEndian(size) }
        }
    }

    private static func write(_ runs: [Run], to bytes: inout [UInt8]) {
        bytes.appendBigEndian(UInt32(truncatingIfNeeded: runs.count))
        for run in runs {
            bytes.appendBigEndian(run.count)
            bytes.appendBigEndian(run.value)
        }
    }
}

/// A writer for `stsc` and `stco` or `co64` of one track (ISO/IEC 14496-12, 8.7.4 and 8.7.5).
struct ChunkTableWriter {
    let chunks: [MovieBuilder.Chunk]
    let track: Int
    let mediaStart: Int64

    func write(isWide: Bool, to bytes: inout [UInt8]) {
        var count: UInt32 = 0
        var runs: UInt32 = 0
        bytes.appendFullBox("stsc") { bytes in
            let place = bytes.count
            bytes.appendBigEndian(UInt32(0))
            var samples: UInt32 = 0
            var format: UInt16 = 0
            for chunk in chunks where chunk.track == track {
                count += 1
                guard runs == 0 || chunk.count != samples || chunk.format != format else { continue }
                samples = chunk.count
                format = chunk.format
                runs += 1
                bytes.appendBigEndian(count)
                bytes.appendBigEndian(samples)
                bytes.appendBigEndian(UInt32(format) + 1)
            }
            bytes.setBigEndian(runs, at: place)
        }
        bytes.appendFullBox(isWide ? "co64" : "stco") { bytes in
            bytes.appendBigEndian(count)
            for chunk in chunks where chunk.track == track {
                bytes.appendBigEndian(mediaStart + chunk.offset, isLong: isWide)
            }
        }
    }
}

/// A buffer that collects each track's samples in chunks of up to one second and 1 MiB, or of one larger sample. The
/// bytes of a chunk are contiguous in the file (ISO/IEC 14496-12, 8.7.4).
package struct ChunkGatherer: Sendable {
    package struct Chunk: Sendable {
        /// The samples, with the actual sizes of their bytes.
        package var samples: [MediaSample] = []
        package var bytes: [UInt8] = []
    }

    private static let chunkSize = 1 << 20

    package private(set) var chunks: [Chunk] = []
    private var timescales: [Int32] = []

    package init() {}

    /// Updates the list of tracks. Existing tracks keep their index.
    package mutating func setTracks(_ tracks: [MediaTrack]) {
        for track in tracks.dropFirst(chunks.count) {
            chunks.append(Chunk())
            timescales.append(track.timescale)
        }
    }

    /// Returns whether the chunk of a sample's track ends before the sample: it isn't empty, and with the sample it
    /// would exceed 1 MiB, contain a second format, or contain decoding times a second apart. Throws for an unknown
    /// track, and for a time beyond the bounds of ``Timescale``.
    package func isComplete(before sample: MediaSample) throws(ContainerError) -> Bool {
        guard chunks.indices.contains(sample.track) else {
            throw ContainerError(.malformed, "sample of unknown track \(sample.track)")
        }
        try sample.checkTimes(timescale: timescales[sample.track])
        guard let first = chunks[sample.track].samples.first else { return false }
        if chunks[sample.track].bytes.count + sample.size > Self.chunkSize { return true }
        if sample.formatIndex != first.formatIndex { return true }
        return sample.dts - first.dts >= Int64(timescales[sample.track])
    }

    /// Adds a sample to the chunk of its track, after a call to ``isComplete(before:)``.
    package mutating func append(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        var sample = sample
        sample.size = bytes.count
        chunks[sample.track].samples.append(sample)
        bytes.withMemoryRebound(to: UInt8.self) { chunks[sample.track].bytes.append(contentsOf: $0) }
    }

    /// Empties the chunk of a track.
    package mutating func clear(_ track: Int) {
        chunks[track].samples.removeAll(keepingCapacity: true)
        chunks[track].bytes.removeAll(keepingCapacity: true)
    }
}
