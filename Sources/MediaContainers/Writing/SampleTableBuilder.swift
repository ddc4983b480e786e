/// Gathers one track's samples into the tables of `stbl` (ISO/IEC 14496-12, 8.6 and 8.7), run by run.
///
/// A sample costs four bytes for its size and little else: equal durations and offsets share an entry.
struct SampleTableBuilder: Sendable {
    /// Consecutive samples with the same value.
    struct Run: Sendable {
        var count: UInt32
        var value: Int32
    }

    private(set) var sizes: [UInt32] = []
    private(set) var durations: [Run] = []
    private(set) var offsets: [Run] = []
    private(set) var syncSamples: [UInt32] = []
    /// The first sample's decoding time in the track's timescale: the media's zero.
    private(set) var firstDTS: Int64 = 0
    /// The earliest time at which a sample is shown.
    private(set) var firstShown = Int64.max
    /// The latest end of a sample that is shown.
    private(set) var lastShown = Int64.min
    private var lastDTS: Int64 = 0
    private var lastDuration: Int64 = 0
    private var hasNegativeOffset = false

    /// How many samples there are.
    var count: Int { sizes.count }

    /// The sum of all durations: the last sample has its own.
    var mediaDuration: Int64 { count == 0 ? 0 : lastDTS - firstDTS + lastDuration }

    /// Whether every sample is a sync sample, so that `stss` is left out.
    var isAllSync: Bool { syncSamples.count == sizes.count }

    /// Adds the next sample.
    ///
    /// - Throws: ``ContainerError`` when decoding goes back in time, or a number doesn't fit its field.
    mutating func add(_ sample: MediaSample) throws(ContainerError) {
        guard let size = UInt32(exactly: sample.size) else {
            throw ContainerError(.unrepresentable, "a sample of \(sample.size) bytes")
        }
        if sizes.isEmpty {
            firstDTS = sample.dts
        } else {
            guard sample.dts >= lastDTS else {
                throw ContainerError(
                    .malformed, "decoding time \(sample.dts) after \(lastDTS)",
                    advice: "Join the timelines before writing")
            }
            try append(duration: sample.dts - lastDTS)
        }
        guard let offset = Int32(exactly: sample.pts - sample.dts) else {
            throw ContainerError(.unrepresentable, "a composition offset of \(sample.pts - sample.dts) ticks")
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
            throw ContainerError(.unrepresentable, "\(duration) ticks between two samples")
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
