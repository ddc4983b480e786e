/// A builder of transport streams for tests, with tables, PES packets and minimal frames.
struct TransportStreamBuilder {
    struct Stream {
        var pid: Int
        var type: UInt8
        var descriptors: [UInt8] = []
    }

    static let videoPID = 0x100
    static let audioPID = 0x101

    var bytes: [UInt8] = []
    /// The bytes before each 188-byte packet.
    var before: [UInt8] = []
    /// The bytes after each 188-byte packet.
    var after: [UInt8] = []
    private var counters: [Int: UInt8] = [:]

    static let both = [Stream(pid: videoPID, type: 0x1B), Stream(pid: audioPID, type: 0x0F)]

    // MARK: - Tables

    mutating func tables(_ streams: [Stream] = both, program: Int = 1, mapPID: Int = 0x1000, version: UInt8 = 0) {
        association([(program, mapPID)])
        map(streams, program: program, mapPID: mapPID, version: version)
    }

    mutating func association(_ programs: [(number: Int, mapPID: Int)]) {
        var body: [UInt8] = [0, 1, 0xC1, 0, 0]
        for program in programs {
            body += [UInt8(program.number >> 8), UInt8(program.number & 255)]
            body += [0xE0 | UInt8(program.mapPID >> 8), UInt8(program.mapPID & 255)]
        }
        section(pid: 0, table: 0, body)
    }

    mutating func map(_ streams: [Stream], program: Int, mapPID: Int, version: UInt8 = 0) {
        var body: [UInt8] = [UInt8(program >> 8), UInt8(program & 255), 0xC1 | version << 1, 0, 0]
        body += [0xE0 | UInt8(streams[0].pid >> 8), UInt8(streams[0].pid & 255), 0xF0, 0]
        for stream in streams {
            body += [stream.type, 0xE0 | UInt8(stream.pid >> 8), UInt8(stream.pid & 255)]
            body += [0xF0, UInt8(stream.descriptors.count)] + stream.descriptors
        }
        section(pid: mapPID, table: 2, body)
    }

    mutating func section(pid: Int, table: UInt8, _ body: [UInt8], damage: Bool = false) {
        let length = body.count + 4
        var section = [table, 0xB0 | UInt8(length >> 8), UInt8(length & 255)] + body
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in section {
            crc ^= UInt32(byte) << 24
            for _ in 0..<8 { crc = crc & 0x8000_0000 != 0 ? crc << 1 ^ 0x04C1_1DB7 : crc << 1 }
        }
        if damage { crc ^= 1 }
        for shift in [24, 16, 8, 0] as [UInt32] { section.append(UInt8(truncatingIfNeeded: crc >> shift)) }
        var payload = [0] + section
        payload += [UInt8](repeating: 0xFF, count: max(0, 184 - payload.count))
        packet(pid: pid, payload, startsUnit: true)
    }

    // MARK: - PES

    mutating func pes(pid: Int, pts: Int64, dts: Int64? = nil, isBounded: Bool = true, _ payload: [UInt8]) {
        let stamps = Self.stamp(pts, mark: dts == nil ? 2 : 3) + (dts.map { Self.stamp($0, mark: 1) } ?? [])
        let length = isBounded ? payload.count + 3 + stamps.count : 0
        var packet: [UInt8] = [0, 0, 1, isBounded ? 0xC0 : 0xE0, UInt8(length >> 8), UInt8(length & 255)]
        packet += [0x80, dts == nil ? 0x80 : 0xC0, UInt8(stamps.count)] + stamps + payload
        var start = 0
        while start < packet.count {
            let end = min(packet.count, start + 184)
            self.packet(pid: pid, Array(packet[start..<end]), startsUnit: start == 0)
            start = end
        }
    }

    mutating func packet(pid: Int, _ payload: [UInt8], startsUnit: Bool, scrambling: UInt8 = 0) {
        let counter = counters[pid] ?? 0
        counters[pid] = (counter + 1) & 15
        var packet: [UInt8] = [0x47, (startsUnit ? 0x40 : 0) | UInt8(pid >> 8), UInt8(pid & 255)]
        let stuffing = 184 - payload.count
        packet.append(scrambling << 6 | (stuffing > 0 ? 0x30 : 0x10) | counter)
        if stuffing > 0 {
            packet.append(UInt8(stuffing - 1))
            if stuffing > 1 { packet += [0] + [UInt8](repeating: 0xFF, count: stuffing - 2) }
        }
        bytes += before + packet + payload + after
    }

    /// Simulates the loss of packets by advancing the continuity counter.
    mutating func lose(_ count: UInt8, pid: Int) { counters[pid] = ((counters[pid] ?? 0) + count) & 15 }

    private static func stamp(_ time: Int64, mark: UInt8) -> [UInt8] {
        let value = UInt64(bitPattern: time) & 0x1_FFFF_FFFF
        return [
            mark << 4 | UInt8(value >> 30 & 7) << 1 | 1, UInt8(value >> 22 & 255), UInt8(value >> 15 & 127) << 1 | 1,
            UInt8(value >> 7 & 255), UInt8(value & 127) << 1 | 1,
        ]
    }

    // MARK: - Frames

    /// Returns an H.264 picture with an access unit delimiter. A keyframe also has parameter sets for 32 × 32 or 64 ×
    /// 32 pixels. Without timing, they are for 32 × 32 pixels and don't state a frame rate.
    static func picture(isKey: Bool, wide: Bool = false, fill: UInt8 = 0xAB, hasTiming: Bool = true) -> [UInt8] {
        let content = [UInt8](repeating: fill, count: 200)
        let delimiter: [UInt8] = [0, 0, 0, 1, 0x09, 0xF0]
        guard isKey else { return delimiter + [0, 0, 1, 0x41, 0x9A, 0x3B, 0x01] + content }
        let sequence: [UInt8] =
            !hasTiming
            ? [0x67, 0x42, 0xC0, 0x0A, 0xDA, 0x25, 0x90]
            : wide
                ? [
                    0x67, 0x64, 0x00, 0x0A, 0xAC, 0xB2, 0x08, 0xB6, 0x02, 0x20, 0, 0, 3, 0, 0x20, 0, 0, 6, 0x41, 0xE2,
                    0x44, 0xC9,
                ]
                : [
                    0x67, 0x64, 0x00, 0x0A, 0xAC, 0xB2, 0x12, 0xD8, 0x08, 0x80, 0, 0, 3, 0, 0x80, 0, 0, 0x19, 0x07,
                    0x89,
                    0x13, 0x24,
                ]
        let picture: [UInt8] = [0, 0, 0, 1, 0x68, 0xCB, 0xC3, 0xCB, 0x22, 0xC0, 0, 0, 1, 0x65, 0x88, 0x84, 0x0B]
        return delimiter + [0, 0, 0, 1] + sequence + picture + content
    }

    /// Returns an AAC LC frame in ADTS with 48 kHz stereo.
    static func aac(_ fill: UInt8 = 0x21, count: Int = 60) -> [UInt8] {
        let length = count + 7
        return [
            0xFF, 0xF1, 0x4C, 0x80 | UInt8(length >> 11), UInt8(length >> 3 & 255), UInt8(length & 7) << 5 | 0x1F, 0xFC,
        ] + [UInt8](repeating: fill, count: count)
    }

    /// Adds video at 25 frames per second and audio at 48 kHz from a given time, with one picture or two audio frames
    /// per PES packet.
    mutating func play(
        from start: Int64, frames: Int, audioOffset: Int64 = 0, wide: Bool = false, hasAudio: Bool = true,
        hasTiming: Bool = true
    ) {
        var frame: Int64 = 0
        for index in 0..<frames {
            let time = start + Int64(index) * 3600
            pes(
                pid: Self.videoPID, pts: time + 7200, dts: time, isBounded: false,
                Self.picture(isKey: index % 5 == 0, wide: wide, hasTiming: hasTiming))
            // A frame of 1,024 samples lasts 1,920 ticks.
            while hasAudio, start + audioOffset + frame * 1920 < time + 3600 {
                pes(pid: Self.audioPID, pts: start + audioOffset + frame * 1920, Self.aac() + Self.aac())
                frame += 2
            }
        }
    }
}
