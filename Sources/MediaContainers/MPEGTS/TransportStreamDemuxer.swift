/// A demuxer for MPEG transport streams (ISO/IEC 13818-1) that are pushed in buffers of any size.
///
/// Tracks, samples and diagnostics are passed to a ``SampleSink`` as they are found. The id of a track is its PID, and
/// its timescale is 90,000. Times are unwrapped 33-bit timestamps; a stream that begins less than a minute before a
/// wrap begins below 0.
///
/// Samples keep the framing of the stream, which ``MediaFormat/framing`` describes: H.264 and HEVC with start codes,
/// AAC with its ADTS or LOAS header. Only the control header of Opus and the cell header of ID3 tags are removed.
///
/// Damage isn't an error: it is reported and skipped. Memory is bounded by the longest frame, about 16 MiB for each
/// video stream and 1 MiB for others, and by 1 MiB of packets before the first program map.
public final class TransportStreamDemuxer {
    private static let maximumStreams = 256

    private var synchronizer = TransportPacketSynchronizer()
    /// The handling of each PID: 0 to ignore it, ``tableRoute``, or the index of a stream plus ``firstStream``.
    private var routes = [UInt16](repeating: 0, count: 8192)
    private static let tableRoute: UInt16 = 1
    private static let firstStream: UInt16 = 2
    private var tables = ProgramTables()
    private var early = EarlyPackets()
    private var streams: [ElementaryStream] = []
    private let trackList = TrackList()

    /// Creates a demuxer.
    public convenience init() { self.init(after: nil) }

    /// Creates a demuxer. `time` is near the first unwrapped timestamps, or nil if the clock begins with them.
    init(after time: Int64?) {
        routes[0] = Self.tableRoute
        tables.clockStart = time
    }

    /// The tracks found so far.
    public var tracks: [MediaTrack] { trackList.tracks }

    /// The distance between packets in bytes (188, 192 or 204), or nil before the first packet.
    public var packetStride: Int? { synchronizer.stride == 0 ? nil : synchronizer.stride }

    /// Pushes the next bytes of the stream.
    public func push<Sink: SampleSink>(_ bytes: UnsafeRawBufferPointer, into sink: inout Sink) throws(ContainerError) {
        var cursor = 0
        while let packet = synchronizer.next(in: bytes, at: &cursor) {
            try process(packet, into: &sink)
        }
    }

    /// Ends the stream and delivers the incomplete frames. Throws `notThisFormat` if there were no transport packets.
    public func finish<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        while let packet = synchronizer.nextAtEnd() {
            try process(packet, into: &sink)
        }
        guard synchronizer.stride != 0 else {
            throw ContainerError(.notThisFormat, "not an MPEG transport stream: no packets found", at: 0)
        }
        early.close()
        for stream in streams { try stream.finish(into: &sink) }
        try trackList.announce(to: &sink)
    }

    /// Ends a segment. The next bytes begin with a packet, whether or not the last packet was complete. Incomplete
    /// frames continue in the next segment.
    public func endSegment<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        while let packet = synchronizer.nextAtEnd() {
            try process(packet, into: &sink)
        }
        synchronizer.realign()
        for stream in streams { stream.endSegment() }
    }

    /// Marks a gap before the next bytes and delivers the incomplete frames. The clocks continue.
    public func interrupt<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        try endSegment(into: &sink)
        for stream in streams {
            try stream.finish(into: &sink)
            stream.discontinue()
        }
    }

    /// Marks a discontinuity before the next bytes (EXT-X-DISCONTINUITY, RFC 8216, 4.3.2.3). Delivers the incomplete
    /// frames and resets the clocks. Tracks remain.
    public func discontinue<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        try interrupt(into: &sink)
        tables.resetClocks()
    }

    private func process<Sink: SampleSink>(_ bytes: UnsafeRawPointer, into sink: inout Sink) throws(ContainerError) {
        let skipped = synchronizer.takeSkippedBytes()
        // In a file of 192-byte packets, the timestamp of four bytes before a packet isn't damage.
        if skipped > 0, !(synchronizer.stride == 192 && skipped == 4) {
            try report(.skippedBytes, "skipped \(skipped) bytes between transport packets", into: &sink)
        }
        guard let packet = TransportPacket(bytes) else {
            return try report(.transportError, "transport packet with an inconsistent header", into: &sink)
        }
        let route = routes[packet.pid]
        guard route != 0 else { return early.append(bytes, packet, at: synchronizer.packetOffset) }
        if route >= Self.firstStream {
            return try pass(packet, bytes, at: synchronizer.packetOffset, into: &sink)
        }
        if packet.hasTransportError {
            return try reportTransportError(of: packet, at: synchronizer.packetOffset, into: &sink)
        }
        try processTable(packet, bytes, into: &sink)
    }

    private func pass<Sink: SampleSink>(
        _ packet: TransportPacket, _ bytes: UnsafeRawPointer, at offset: Int64, into sink: inout Sink
    ) throws(ContainerError) {
        if packet.hasTransportError { return try reportTransportError(of: packet, at: offset, into: &sink) }
        let stream = streams[Int(routes[packet.pid] - Self.firstStream)]
        stream.offset = offset
        try stream.receive(packet, bytes, into: &sink)
    }

    private func processTable<Sink: SampleSink>(
        _ packet: TransportPacket, _ bytes: UnsafeRawPointer, into sink: inout Sink
    ) throws(ContainerError) {
        guard packet.hasPayload, !packet.isScrambled else { return }
        let payload = UnsafeRawBufferPointer(
            start: bytes + packet.payloadStart, count: TransportPacketSynchronizer.packetLength - packet.payloadStart)
        let found = tables.push(packet, payload)
        for damage in found.damage { try report(.damagedTable, damage, into: &sink) }
        guard !found.maps.isEmpty || found.hasAssociation else { return }
        for pid in tables.mapPIDs where routes[pid] == 0 { routes[pid] = Self.tableRoute }
        for map in found.maps { try update(map, into: &sink) }
        try trackList.announce(to: &sink)
        if !found.maps.isEmpty, early.isOpen { try replayEarlyPackets(into: &sink) }
    }

    private func replayEarlyPackets<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        let buffered = early.close()
        try buffered.bytes.withBorrowedBytes { (all) throws(ContainerError) in
            guard let base = all.baseAddress else { return }
            for (index, offset) in buffered.offsets.enumerated() {
                let bytes = base + index * TransportPacketSynchronizer.packetLength
                guard let packet = TransportPacket(bytes), routes[packet.pid] >= Self.firstStream else { continue }
                try pass(packet, bytes, at: offset, into: &sink)
            }
        }
    }

    /// Applies a new version of a program map. Streams in both versions continue; removed streams end.
    private func update<Sink: SampleSink>(_ map: ProgramMap, into sink: inout Sink) throws(ContainerError) {
        let clock = tables.clock(of: map.programNumber)
        for (index, stream) in streams.enumerated()
        where stream.clock === clock && routes[stream.pid] == UInt16(index) + Self.firstStream {
            guard !map.streams.contains(where: { $0.pid == stream.pid && $0.type == stream.description.type }) else {
                continue
            }
            try stream.finish(into: &sink)
            stream.discontinue()
            routes[stream.pid] = 0
        }
        for description in map.streams where description.pid != 0x1FFF && routes[description.pid] == 0 {
            if let known = streams.firstIndex(where: {
                $0.clock === clock && $0.pid == description.pid && $0.description.type == description.type
            }) {
                route(description, to: known)
                continue
            }
            guard streams.count < Self.maximumStreams else {
                return try report(.damagedTable, "more than \(Self.maximumStreams) streams", into: &sink)
            }
            add(description, clock: clock)
        }
    }

    private func add(_ description: ProgramMap.Stream, clock: ProgramClock) {
        let track = trackList.append(
            MediaTrack(
                id: UInt32(description.pid), kind: description.type.kind, formats: [description.provisionalFormat],
                timescale: 90_000, language: description.language),
            isProvisional: true)
        let stream = ElementaryStream(description, track: track, tracks: trackList, clock: clock)
        streams.append(stream)
        route(description, to: streams.count - 1)
    }

    /// Routes packets to a stream. Streams of sections, such as SCTE-35, are listed as tracks but not read.
    private func route(_ description: ProgramMap.Stream, to index: Int) {
        if !description.type.isInSections { routes[description.pid] = UInt16(index) + Self.firstStream }
    }

    private func reportTransportError<Sink: SampleSink>(
        of packet: TransportPacket, at offset: Int64, into sink: inout Sink
    ) throws(ContainerError) {
        try sink.diagnostic(
            ContainerDiagnostic(.transportError, "PID \(packet.pid): transport_error_indicator", at: offset))
    }

    private func report<Sink: SampleSink>(
        _ code: ContainerDiagnostic.Code, _ summary: String, into sink: inout Sink
    ) throws(ContainerError) {
        try sink.diagnostic(ContainerDiagnostic(code, summary, at: synchronizer.packetOffset))
    }
}

/// A buffer for the packets before the first program map. A truncated recording begins with such packets.
struct EarlyPackets {
    /// The maximum number of packets, about one megabyte.
    private static let limit = 5000

    private(set) var isOpen = true
    private var bytes: [UInt8] = []
    private var offsets: [Int64] = []

    mutating func append(_ packet: UnsafeRawPointer, _ header: TransportPacket, at offset: Int64) {
        guard isOpen, header.pid != 0x1FFF else { return }
        guard offsets.count < Self.limit else {
            close()
            return
        }
        let length = TransportPacketSynchronizer.packetLength
        bytes.append(contentsOf: UnsafeRawBufferPointer(start: packet, count: length))
        offsets.append(offset)
    }

    @discardableResult mutating func close() -> (bytes: [UInt8], offsets: [Int64]) {
        defer {
            isOpen = false
            bytes = []
            offsets = []
        }
        return (bytes, offsets)
    }
}
