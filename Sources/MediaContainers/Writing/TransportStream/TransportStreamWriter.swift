/// A writer of an MPEG transport stream (ISO/IEC 13818-1) with one program, in one pass.
///
/// It receives samples in the form stored in MP4, for example from a ``Remuxer``, and writes them in decoding order.
/// Audio samples hidden by an edit list are omitted, because a transport stream has no such list. At most 8 MiB of
/// samples wait for other tracks.
public struct TransportStreamWriter<Sink: ByteSink>: SampleSink {
    private struct Waiting {
        var sample: MediaSample
        /// The times in 90 kHz ticks, before `offset` is added.
        var dts: Int64
        var pts: Int64
        var bytes: [UInt8]
    }

    /// Audio frames that share a PES packet.
    private struct Packed {
        var bytes: [UInt8] = []
        var pts: Int64 = 0
        var dts: Int64 = 0
    }

    private static var mapPID: UInt16 { 0x1000 }
    private static var firstPID: UInt16 { 0x100 }
    /// The maximum number of tracks. The PIDs of streams precede the PID of the map.
    private static var maximumTracks: Int { Int(mapPID - firstPID) }
    private static var tooManyTracks: ContainerError {
        ContainerError(.unrepresentable, "too many tracks for the program map")
    }
    private static var maximumWaitingBytes: Int { 8 << 20 }
    /// The time of the first sample, which keeps the clock above zero, in 90 kHz ticks.
    private static var firstTime: Int64 { 126_000 }
    /// The time between the arrival of data and its decoding, in 90 kHz ticks.
    private static var lead: Int64 { 63_000 }
    /// The interval of the tables in 90 kHz ticks. They also precede keyframes.
    private static var tableInterval: Int64 { 22_500 }
    /// The maximum length in bytes of audio frames that share a PES packet.
    private static var audioPacketLength: Int { 2800 }
    /// Audio frames share a PES packet if they start within this time, in 90 kHz ticks.
    private static var audioPacketDuration: Int64 { 9000 }

    /// The receiver of the bytes.
    public private(set) var sink: Sink
    private var media: [MediaTrack] = []
    private var streams: [WrittenStream?] = []
    private var waiting: [[Waiting]] = []
    private var packed: [Packed] = []
    private var waitingBytes = 0
    private var offset: Int64?
    private var lastTables: Int64 = .min
    private var packets = TransportPacketWriter()

    /// Starts a stream.
    public init(_ sink: Sink) {
        self.sink = sink
    }

    /// Receives the list of tracks. Text and data tracks are omitted. Throws `unsupported` for a video or audio codec
    /// that the writer doesn't support, and `unrepresentable` for too many tracks.
    public mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        media = tracks
        guard tracks.count <= Self.maximumTracks else { throw Self.tooManyTracks }
        for (index, track) in tracks.enumerated().dropFirst(streams.count) {
            let isCarried = track.kind == .video || track.kind == .audio
            streams.append(
                isCarried
                    ? try WrittenStream(
                        track, pid: Self.firstPID + UInt16(truncatingIfNeeded: index),
                        number: UInt8(truncatingIfNeeded: index)) : nil)
            waiting.append([])
            packed.append(Packed())
            // The tables must list an additional stream immediately.
            lastTables = .min
        }
    }

    /// Receives a sample; see ``SampleSink/sample(_:bytes:)``.
    public mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard streams.indices.contains(sample.track), streams[sample.track] != nil,
            media[sample.track].formats.indices.contains(sample.formatIndex)
        else { return }
        let track = media[sample.track]
        if sample.isHidden, track.kind == .audio { return }
        try sample.checkTimes(timescale: track.timescale)
        let dts = Timescale.convert(sample.dts, from: track.timescale, to: 90_000)
        let pts = Timescale.convert(sample.pts, from: track.timescale, to: 90_000)
        var framed: [UInt8] = []
        framed.reserveCapacity(bytes.count + 64)
        try ElementaryFraming.append(bytes, track.formats[sample.formatIndex], isSync: sample.isSync, to: &framed)
        waitingBytes += framed.count
        waiting[sample.track].append(Waiting(sample: sample, dts: dts, pts: pts, bytes: framed))
        try drain(isLast: false)
    }

    /// Writes the waiting samples. Throws `malformed` for a stream without samples, and the errors of the sink.
    public mutating func finish() throws(ContainerError) {
        try drain(isLast: true)
        for index in packed.indices { try flushAudio(index) }
        guard offset != nil else {
            throw ContainerError(.malformed, "can't write a transport stream without samples")
        }
        try writePackets()
    }

    private mutating func drain(isLast: Bool) throws(ContainerError) {
        while true {
            let carried = streams.indices.filter { streams[$0] != nil }
            let isComplete = carried.allSatisfy { !waiting[$0].isEmpty }
            guard isComplete || isLast || waitingBytes > Self.maximumWaitingBytes else { return }
            let next = carried.filter { !waiting[$0].isEmpty }.min { waiting[$0][0].dts < waiting[$1][0].dts }
            guard let next else { return }
            let sample = waiting[next].removeFirst()
            waitingBytes -= sample.bytes.count
            try write(sample, next)
        }
    }

    private mutating func write(_ sample: Waiting, _ index: Int) throws(ContainerError) {
        let offset = offset ?? Self.firstTime - sample.dts
        self.offset = offset
        let (dts, pts) = (sample.dts.addingClamped(offset), sample.pts.addingClamped(offset))
        guard media[index].kind == .audio else {
            let isKey = sample.sample.isSync
            try tables(at: dts, now: isKey)
            return try packet(sample.bytes, index, pts: pts, dts: dts, isRandomAccess: isKey)
        }
        if !packed[index].bytes.isEmpty,
            packed[index].bytes.count + sample.bytes.count > Self.audioPacketLength
                || dts - packed[index].dts >= Self.audioPacketDuration
        {
            try flushAudio(index)
        }
        if packed[index].bytes.isEmpty { packed[index] = Packed(pts: pts, dts: dts) }
        packed[index].bytes += sample.bytes
    }

    private mutating func flushAudio(_ index: Int) throws(ContainerError) {
        let group = packed[index]
        guard !group.bytes.isEmpty else { return }
        packed[index].bytes = []
        try tables(at: group.dts, now: false)
        try packet(group.bytes, index, pts: group.pts, dts: group.pts, isRandomAccess: true)
    }

    /// The index of the stream that carries the clock: the first video stream, otherwise the first stream.
    private var clockIndex: Int? {
        let carried = streams.indices.filter { streams[$0] != nil }
        return carried.first { media[$0].kind == .video } ?? carried.first
    }

    private mutating func tables(at dts: Int64, now: Bool) throws(ContainerError) {
        guard now || lastTables == .min || dts - lastTables >= Self.tableInterval, let clockIndex,
            let clock = streams[clockIndex]
        else { return }
        lastTables = dts
        packets.add(section: WrittenStream.association(mapPID: Self.mapPID), pid: 0)
        let map = WrittenStream.map(streams.compactMap(\.self), clockPID: clock.pid)
        guard map.count <= 183 else { throw Self.tooManyTracks }
        packets.add(section: map, pid: Self.mapPID)
    }

    private mutating func packet(
        _ bytes: [UInt8], _ index: Int, pts: Int64, dts: Int64, isRandomAccess: Bool
    ) throws(ContainerError) {
        guard let stream = streams[index] else { return }
        let hasDTS = dts != pts
        var pes: [UInt8] = [0, 0, 1, stream.streamID]
        let length = bytes.count + (hasDTS ? 13 : 8)
        // The length of a video packet may be unspecified (2.4.3.7).
        pes.appendBigEndian(
            media[index].kind == .video || length > Int(UInt16.max) ? 0 : UInt16(truncatingIfNeeded: length))
        pes += [0x84, hasDTS ? 0xC0 : 0x80, hasDTS ? 10 : 5]
        pes += Self.timestamp(pts, prefix: hasDTS ? 3 : 2)
        if hasDTS { pes += Self.timestamp(dts, prefix: 1) }
        pes += bytes
        let clock = index == clockIndex ? max(0, dts.subtractingClamped(Self.lead)) : nil
        packets.add(pes, pid: stream.pid, clock: clock, isRandomAccess: isRandomAccess)
        if packets.bytes.count >= 256 << 10 { try writePackets() }
    }

    private static func timestamp(_ time: Int64, prefix: UInt8) -> [UInt8] {
        let time = UInt64(bitPattern: time) & 0x1_FFFF_FFFF
        return [
            prefix << 4 | UInt8(truncatingIfNeeded: time >> 29) & 0x0E | 1, UInt8(truncatingIfNeeded: time >> 22),
            UInt8(truncatingIfNeeded: time >> 14) | 1, UInt8(truncatingIfNeeded: time >> 7),
            UInt8(truncatingIfNeeded: time << 1) | 1,
        ]
    }

    private mutating func writePackets() throws(ContainerError) {
        let bytes = packets.bytes
        packets.removeAll()
        try bytes.withBorrowedBytes { (buffer) throws(ContainerError) in try sink.write(buffer) }
    }
}
