/// A stream of a transport stream that is written: its place in the programme map, and the form its samples take.
struct WrittenStream {
    /// The stream's PID.
    let pid: UInt16
    /// The stream's type in the programme map (ISO/IEC 13818-1, table 2-34).
    let type: UInt8
    /// The stream id of its PES packets.
    let streamID: UInt8
    /// Its descriptors in the programme map.
    let descriptors: [UInt8]

    /// A stream for a track.
    ///
    /// - Throws: ``ContainerError/Code-swift.enum/unsupported`` for a codec that isn't written.
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
                .unsupported, "MPEG-TS isn't written with \(track.format?.codecString ?? "such a track")",
                advice: "Write an MP4 instead")
        }
        // AC-3 goes as private data, as ATSC and HLS have it.
        let isPrivate = type == 0x81 || type == 0x87
        streamID = track.kind == .video ? 0xE0 | number & 15 : isPrivate ? 0xBD : 0xC0 | number & 31
        let language = LanguageCode.threeLetters(track.language)
        if track.kind == .audio, language != "und" {
            descriptors += [0x0A, 4] + Array(language.utf8) + [0]
        }
        self.descriptors = descriptors
    }

    /// The programme association (2.4.4.3).
    static func association(mapPID: UInt16) -> [UInt8] {
        var body: [UInt8] = [0, 1, 0xC1, 0, 0, 0, 1]
        body.appendBigEndian(0xE000 | mapPID)
        return section(table: 0, body)
    }

    /// The programme map (2.4.4.8).
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
