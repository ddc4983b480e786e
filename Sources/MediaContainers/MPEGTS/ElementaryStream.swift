/// An elementary stream of a transport stream. It assembles PES packets, splits them into frames and assigns times
/// (ISO/IEC 13818-1, 2.4.3.6 and 2.7).
final class ElementaryStream {
    /// A timestamp and the position of the payload of its PES packet.
    struct Mark {
        var position: Int64
        var pts: Int64
        var dts: Int64
    }

    private enum State {
        /// Ignores payloads until a PES packet begins.
        case waiting
        case header
        /// Reads a payload with this number of bytes left, or -1 if the packet ends where the next begins.
        case payload(remaining: Int)
    }

    let description: ProgramMap.Stream
    let track: Int
    let tracks: TrackList
    let parser: FrameParser
    let clock: ProgramClock
    /// The offset of the current packet in the transport stream.
    var offset: Int64 = 0
    var buffer = PayloadBuffer()
    var marks: [Mark] = []
    /// The times of the next frame, computed from the duration of the last.
    var next: Mark?
    var formatVersion = 0
    var formatIndex = 0

    private var state = State.waiting
    private var header: [UInt8] = []
    private var lastCounter: UInt8?
    private var lastSignature: UInt64 = 0
    private var hasReportedScrambling = false
    private var drainedEnd: Int64 = 0

    init(_ description: ProgramMap.Stream, track: Int, tracks: TrackList, clock: ProgramClock) {
        self.description = description
        self.track = track
        self.tracks = tracks
        self.clock = clock
        parser = description.makeParser()
    }

    var pid: Int { description.pid }
    /// Whether the stream is video that the parser splits into pictures. Its PES packets may lack a length.
    var isVideo: Bool { description.type.kind == .video && !parser.needsWholePackets }

    func receive<Sink: SampleSink>(
        _ packet: TransportPacket, _ bytes: UnsafeRawPointer, into sink: inout Sink
    ) throws(ContainerError) {
        guard packet.hasPayload else {
            if packet.hasDiscontinuity { lastCounter = nil }
            return
        }
        guard try checkContinuity(packet, bytes, into: &sink) else { return }
        if packet.isScrambled {
            if !hasReportedScrambling {
                hasReportedScrambling = true
                try report(.scrambled, "PID \(pid) is scrambled", into: &sink)
            }
            state = .waiting
            return
        }
        let payload = UnsafeRawBufferPointer(
            start: bytes + packet.payloadStart, count: TransportPacketSynchronizer.packetLength - packet.payloadStart)
        if packet.startsUnit {
            try endPacket(into: &sink)
            state = .header
            header.removeAll(keepingCapacity: true)
        }
        if case .header = state {
            guard let rest = try beginPayload(payload, into: &sink) else { return }
            try append(rest, into: &sink)
            // The start of the next packet reveals the end of a picture. Draining now avoids moving its bytes.
            if isVideo { try drain(isLast: false, into: &sink) }
            return
        }
        try append(payload, into: &sink)
    }

    /// Completes the current frame, because the stream ends or the following data doesn't continue it.
    func finish<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        if case .payload(let remaining) = state, remaining > 0, !isVideo {
            try report(.damagedPacket, "PES packet ends \(remaining) bytes early", into: &sink)
        }
        state = .waiting
        try drain(isLast: true, into: &sink)
        buffer.consume(buffer.count)
        buffer.compact()
        parser.reset()
        marks.removeAll(keepingCapacity: true)
    }

    /// Allows scrambling to be reported again.
    func endSegment() { hasReportedScrambling = false }

    /// Resets the continuity counter and the time of the next frame, because the following packets are unrelated.
    func discontinue() {
        lastCounter = nil
        next = nil
    }

    // MARK: - PES packets

    private func append<Sink: SampleSink>(
        _ payload: UnsafeRawBufferPointer, into sink: inout Sink
    ) throws(ContainerError) {
        guard case .payload(let remaining) = state, let base = payload.baseAddress else { return }
        guard remaining >= 0 else {
            buffer.append(base, count: payload.count)
            // A packet without a length contains several pictures if an encoder never begins a new packet.
            if buffer.end - drainedEnd > 1 << 20 {
                drainedEnd = buffer.end
                try drain(isLast: false, into: &sink)
            }
            return
        }
        let count = min(remaining, payload.count)
        buffer.append(base, count: count)
        state = .payload(remaining: remaining - count)
        if count == remaining, count > 0 {
            try drain(isLast: parser.needsWholePackets, into: &sink)
        }
    }

    private func endPacket<Sink: SampleSink>(into sink: inout Sink) throws(ContainerError) {
        switch state {
        case .payload(let remaining):
            if remaining > 0 { try report(.damagedPacket, "PES packet ends \(remaining) bytes early", into: &sink) }
            if !isVideo { try drain(isLast: parser.needsWholePackets, into: &sink) }
        case .header:
            try report(.damagedPacket, "PES packet ends in its header", into: &sink)
        case .waiting: break
        }
        state = .waiting
    }

    /// Reads the header from one payload, or assembles it from several. Returns the rest of this payload, or nil if the
    /// header isn't complete or isn't valid.
    private func beginPayload<Sink: SampleSink>(
        _ payload: UnsafeRawBufferPointer, into sink: inout Sink
    ) throws(ContainerError) -> UnsafeRawBufferPointer? {
        let assembledCount = header.count
        let parsed: PESHeader?
        if assembledCount == 0, let length = PESHeader.length(payload), length > 0, length <= payload.count {
            parsed = PESHeader(payload)
        } else {
            header.append(contentsOf: payload)
            let length = header.withUnsafeBytes { PESHeader.length($0) }
            guard let length else {
                state = .waiting
                try report(.damagedPacket, "payload doesn't begin with a PES header", into: &sink)
                return nil
            }
            guard length > 0, header.count >= length else { return nil }
            parsed = header.withUnsafeBytes { PESHeader($0) }
        }
        guard let parsed, parsed.length >= PESHeader.shortest else {
            state = .waiting
            return nil
        }
        begin(parsed)
        return UnsafeRawBufferPointer(rebasing: payload[(parsed.length - assembledCount)...])
    }

    private func begin(_ header: PESHeader) {
        // In some streams, a video packet has a wrong length instead of 0. The packet ends where the next begins.
        let remaining = header.packetLength == 0 || isVideo ? -1 : header.packetLength + 6 - header.length
        state = remaining == 0 || remaining < -1 ? .waiting : .payload(remaining: remaining)
        guard let pts = header.pts else { return }
        // The decoding time is the earlier one. It's unwrapped first, so that it's never placed before the clock's last
        // wrap.
        let dts = clock.unwrap(header.dts ?? pts)
        marks.append(Mark(position: buffer.end, pts: header.dts == nil ? dts : clock.unwrap(pts), dts: dts))
        // The marks of packets in which no frame starts remain in the list.
        if marks.count > 64 { marks.removeFirst(32) }
    }

    // MARK: - Continuity

    /// Checks the continuity counter (2.4.3.3). Returns whether to read the packet; false for a duplicate.
    private func checkContinuity<Sink: SampleSink>(
        _ packet: TransportPacket, _ bytes: UnsafeRawPointer, into sink: inout Sink
    ) throws(ContainerError) -> Bool {
        let counter = packet.continuityCounter
        let signature =
            bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self)
            ^ bytes.loadUnaligned(fromByteOffset: 180, as: UInt64.self) &* 0x9E37_79B9_7F4A_7C15
        defer {
            lastCounter = counter
            lastSignature = signature
        }
        guard let last = lastCounter, !packet.hasDiscontinuity, counter != (last + 1) & 15 else { return true }
        if counter == last, signature == lastSignature { return false }
        try report(.discontinuity, "PID \(pid): continuity counter \(counter) after \(last)", into: &sink)
        if packet.startsUnit {
            try finish(into: &sink)
        } else if !isVideo {
            // An audio frame with missing data would extend into the next frame, so it is dropped.
            try drain(isLast: false, into: &sink)
            buffer.consume(buffer.count)
            parser.reset()
            marks.removeAll(keepingCapacity: true)
        }
        return true
    }

    func report<Sink: SampleSink>(
        _ code: ContainerDiagnostic.Code, _ summary: String, into sink: inout Sink
    ) throws(ContainerError) {
        try sink.diagnostic(ContainerDiagnostic(code, summary, at: offset, track: UInt32(pid)))
    }
}
