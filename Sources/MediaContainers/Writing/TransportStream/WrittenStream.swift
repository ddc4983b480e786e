/// A stream that a ``TransportStreamWriter`` writes: its entry in the program map, and the ids of its packets.
struct WrittenStream {
    let pid: UInt16
    /// The stream type in the program map (ISO/IEC 13818-1, table 2-34).
    let type: UInt8
    let streamID: UInt8
    let descriptors: [UInt8]

    /// Creates a stream for a track. Throws `unsupported` for a codec that the writer doesn't support.
    init(_ track: MediaTrack, pid: UInt16, number: UInt8) throws(ContainerError) {
        self.pid = pid
        var descriptors: [UInt8] = []
        func registration(_ code: FourCC) -> [UInt8] {
            var bytes: [UInt8] = [0x05, 4]
            bytes.append(code)
            return bytes
        }
        switch track.format?.codec {
        case .avc: type = 0x1B
        case .hevc:
            type = 0x24
            descriptors = registration("HEVC")
        case .mpeg2Video: type = 0x02
        case .aac: type = 0x0F
        case .mp2, .mp3: type = (track.format?.sampleRate ?? 0) < 32_000 ? 0x04 : 0x03
        case .ac3:
            type = 0x81
            descriptors = registration("AC-3")
        case .eac3:
            type = 0x87
            descriptors = registration("EAC3")
        default:
            throw ContainerError(
                .unsupported, "can't write \(track.format?.codecString ?? "the track") to MPEG-TS",
                advice: "Write an MP4 instead")
        }
        // AC-3 is private data, as in ATSC and HLS.
        let isPrivate = type == 0x81 || type == 0x87
        streamID = track.kind == .video ? 0xE0 | number & 15 : isPrivate ? 0xBD : 0xC0 | number & 31
        let language = LanguageCode.threeLetters(track.language)
        if track.kind == .audio, language != "und" {
            descriptors += [0x0A, 4] + Array(language.utf8) + [0]
        }
        self.descriptors = descriptors
    }

    /// Returns the section of the program association table (2.4.4.3).
    static func association(mapPID: UInt16) -> [UInt8] {
        var body: [UInt8] = [0, 1, 0xC1, 0, 0, 0, 1]
        body.appendBigEndian(0xE000 | mapPID)
        return section(table: 0, body)
    }

    /// Returns the section of the program map table (2.4.4.8).
    static func map(_ streams: [WrittenStream], clockPID: UInt16) -> [UInt8] {
        var body: [UInt8] = [0, 1, 0xC1, 0, 0]
        body.appendBigEndian(0xE000 | clockPID)
        body += [0xF0, 0]
        for stream in streams {
            body.append(stream.type)
            body.appendBigEndian(0xE000 | stream.pid)
            body += [0xF0, UInt8(truncatingIfNeeded: stream.descriptors.count)] + stream.descriptors
        }
        return section(table: 2, body)
    }

    private static func section(table: UInt8, _ body: [UInt8]) -> [UInt8] {
        var section: [UInt8] = [table]
        section.appendBigEndian(0xB000 | UInt16(truncatingIfNeeded: body.count + 4))
        section += body
        section.appendBigEndian(section.withUnsafeBytes { SectionChecksum.remainder($0) })
        return section
    }
}

/// A writer that divides PES packets and sections into transport packets (ISO/IEC 13818-1, 2.4.3).
struct TransportPacketWriter {
    private static let payloadLength = 184

    private(set) var bytes: [UInt8] = []
    private var counters: [UInt16: UInt8] = [:]

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a PES packet. `clock` is the program clock in 90 kHz ticks, or nil if another stream carries it.
    mutating func add(_ pes: [UInt8], pid: UInt16, clock: Int64?, isRandomAccess: Bool) {
        var field: [UInt8] = []
        if clock != nil || isRandomAccess {
            field = [(isRandomAccess ? 0x40 : 0) | (clock != nil ? 0x10 : 0)]
            if let clock { field += Self.reference(clock) }
        }
        var position = 0
        while position < pes.count {
            let isFirst = position == 0
            position += packet(pid, pes[position...], field: isFirst ? field : [], startsUnit: isFirst)
        }
    }

    /// Adds a section that fits one packet.
    mutating func add(section: [UInt8], pid: UInt16) {
        let payload = [0] + section
        let padding = [UInt8](repeating: 0xFF, count: max(0, Self.payloadLength - payload.count))
        _ = packet(pid, (payload + padding)[...], field: [], startsUnit: true)
    }

    /// Adds a transport packet. Returns the number of payload bytes in it.
    private mutating func packet(_ pid: UInt16, _ payload: ArraySlice<UInt8>, field: [UInt8], startsUnit: Bool) -> Int {
        // The adaptation field begins with a byte that contains its length.
        var field = field.isEmpty ? [] : [UInt8(truncatingIfNeeded: field.count)] + field
        let count = min(payload.count, Self.payloadLength - field.count)
        let stuffing = Self.payloadLength - field.count - count
        if stuffing > 0 {
            if field.isEmpty {
                field = stuffing == 1 ? [0] : [UInt8(truncatingIfNeeded: stuffing - 1), 0]
                field += [UInt8](repeating: 0xFF, count: max(0, stuffing - 2))
            } else {
                field[0] += UInt8(truncatingIfNeeded: stuffing)
                field += [UInt8](repeating: 0xFF, count: stuffing)
            }
        }
        let counter = counters[pid, default: 0]
        counters[pid] = (counter + 1) & 15
        bytes.append(0x47)
        bytes.appendBigEndian((startsUnit ? 0x4000 : 0) | pid & 0x1FFF)
        bytes.append((field.isEmpty ? 0x10 : 0x30) | counter)
        bytes += field
        bytes += payload.prefix(count)
        return count
    }

    /// Returns a program clock reference without its extension (2.4.3.5).
    private static func reference(_ clock: Int64) -> [UInt8] {
        let base = UInt64(bitPattern: clock) & 0x1_FFFF_FFFF
        return [
            UInt8(truncatingIfNeeded: base >> 25), UInt8(truncatingIfNeeded: base >> 17),
            UInt8(truncatingIfNeeded: base >> 9), UInt8(truncatingIfNeeded: base >> 1),
            UInt8(truncatingIfNeeded: base & 1) << 7 | 0x7E, 0,
        ]
    }
}
