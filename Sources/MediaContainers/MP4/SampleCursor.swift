/// A cursor over a sample table in decoding order, with constant memory (ISO/IEC 14496-12, 8.6 and 8.7). Times are on
/// the timeline of the media, before any edit list is applied.
public struct SampleCursor: Sendable {
    /// A sample, or a packet of uncompressed or packed audio.
    public struct Entry: Sendable, Hashable {
        /// The index of the sample, or of the first sample of the packet, from 0.
        public var index: Int
        /// The decoding time in the timescale of the media.
        public var dts: Int64
        /// The difference between composition time and decoding time; may be negative.
        public var compositionOffset: Int64
        /// The duration in the timescale of the media.
        public var duration: Int64
        /// The size in bytes.
        public var size: Int
        /// The offset of the bytes in the file.
        public var offset: Int64
        /// Whether decoding can start at this sample.
        public var isSync: Bool
        /// The index of the sample description, from 0.
        public var formatIndex: Int

        /// The composition time in the timescale of the media.
        public var pts: Int64 { dts + compositionOffset }
    }

    private let table: SampleTable
    private var index = 0
    private var dts: Int64 = 0
    private var timeIndex = -1
    private var timeLeft: UInt32 = 0
    private var delta: Int64 = 0
    private var compositionIndex = -1
    private var compositionLeft: UInt32 = 0
    private var compositionOffset: Int64 = 0
    private var chunkRun = -1
    private var chunk = -1
    private var nextRunChunk: Int64 = 0
    private var samplesPerChunk: UInt32 = 0
    private var chunkLeft: UInt32 = 0
    private var position: Int64 = 0
    private var formatIndex = 0
    private var syncIndex = 0
    private var partialSyncIndex = 0

    /// Creates a cursor at the first sample of a track.
    public init(_ table: SampleTable) { self.table = table }

    /// Returns the next sample, or nil after the last. Throws when the tables have no chunk for it or values overflow.
    public mutating func next() throws(ContainerError) -> Entry? {
        guard index < table.sampleCount else { return nil }
        while chunkLeft == 0 { try nextChunk() }
        advanceTimes()
        if let packing = table.packing { return try nextPacket(packing) }

        let size = table.size(index)
        let entry = Entry(
            index: index, dts: dts, compositionOffset: compositionOffset, duration: delta, size: size, offset: position,
            isSync: takeSync(), formatIndex: formatIndex)
        let (end, positionOverflow) = position.addingReportingOverflow(Int64(size))
        // The bound leaves room for a 32-bit composition offset.
        let later = dts + delta
        guard !positionOverflow, later < Timescale.maximumTicks else { throw overflow() }
        position = end
        dts = later
        chunkLeft -= 1
        timeLeft &-= 1
        compositionLeft &-= 1
        index += 1
        return entry
    }

    /// Returns a packet of uncompressed or packed audio from one chunk: one packet of the sample description if it has
    /// at least 160 samples, otherwise as many whole packets as fit into 1,024 samples.
    private mutating func nextPacket(_ packing: SampleTable.Packing) throws(ContainerError) -> Entry {
        let room = min(Int(chunkLeft), table.sampleCount - index)
        let packets = max(1, 1024 / packing.samples)
        let samples = packing.samples >= 160 ? packing.samples : packets * packing.samples
        let sampleCount = min(samples, room)
        let size = (sampleCount + packing.samples - 1) / packing.samples * packing.bytes
        let entry = Entry(
            index: index, dts: dts, compositionOffset: 0, duration: Int64(sampleCount), size: size, offset: position,
            isSync: true, formatIndex: formatIndex)
        let (end, positionOverflow) = position.addingReportingOverflow(Int64(size))
        guard !positionOverflow else { throw overflow() }
        position = end
        dts += Int64(sampleCount)
        chunkLeft -= UInt32(sampleCount)
        index += sampleCount
        return entry
    }

    private mutating func nextChunk() throws(ContainerError) {
        chunk += 1
        guard chunk < table.chunkOffsets.count else {
            throw ContainerError(
                .malformed, "stsc and stco: no chunk for sample \(index + 1) of \(table.sampleCount)",
                at: table.origin + Int64(table.chunkOffsets.start))
        }
        if Int64(chunk) + 1 == nextRunChunk || chunkRun < 0 {
            chunkRun += 1
            samplesPerChunk = table.field(table.sampleToChunk, chunkRun, 1)
            // A description index of 0, found in some files, means the first description.
            formatIndex = max(0, Int(table.field(table.sampleToChunk, chunkRun, 2)) - 1)
            let following = chunkRun + 1
            nextRunChunk =
                following < table.sampleToChunk.count ? Int64(table.field(table.sampleToChunk, following, 0)) : .max
        }
        chunkLeft = samplesPerChunk
        let offset = table.chunkOffset(chunk)
        guard let known = Int64(exactly: offset) else {
            throw table.damage("co64: chunk offset \(offset) is out of range", table.chunkOffsets, chunk)
        }
        position = known
    }

    private mutating func advanceTimes() {
        // If stts or ctts covers fewer samples than stsz, its last entry applies to the rest.
        while timeLeft == 0, timeIndex + 1 < table.timeToSample.count {
            timeIndex += 1
            timeLeft = table.field(table.timeToSample, timeIndex, 0)
            delta = Int64(table.field(table.timeToSample, timeIndex, 1))
        }
        while compositionLeft == 0, compositionIndex + 1 < table.compositionOffsets.count {
            compositionIndex += 1
            compositionLeft = table.field(table.compositionOffsets, compositionIndex, 0)
            // Version 0 offsets are unsigned, but QuickTime writes negative ones, so all offsets are read as signed.
            let bits = table.field(table.compositionOffsets, compositionIndex, 1)
            compositionOffset = Int64(Int32(bitPattern: bits))
        }
    }

    private mutating func takeSync() -> Bool {
        guard let sync = table.syncSamples else { return true }
        let number = UInt32(truncatingIfNeeded: index + 1)
        var isSync = false
        if syncIndex < sync.count, table.field(sync, syncIndex, 0) == number {
            syncIndex += 1
            isSync = true
        }
        let partial = table.partialSyncSamples
        if partialSyncIndex < partial.count, table.field(partial, partialSyncIndex, 0) == number {
            partialSyncIndex += 1
            isSync = true
        }
        return isSync
    }

    private func overflow() -> ContainerError {
        ContainerError(.malformed, "sample \(index + 1): time or offset overflows", at: table.origin)
    }
}
