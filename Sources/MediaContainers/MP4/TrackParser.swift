/// A parser that reads the boxes of `trak` into a ``MovieTrack``.
struct TrackParser {
    private let bytes: [UInt8]
    private let origin: Int64
    private var id: UInt32 = 0
    private var isEnabled = true
    private var matrix: [Int32] = []
    private var edits = EditList()
    private var timescale: Int32 = 0
    private var duration: Int64?
    private var language: String?
    private var handler: FourCC = "    "
    private var table: SampleTableParser?

    init(bytes: [UInt8], origin: Int64) {
        self.bytes = bytes
        self.origin = origin
    }

    /// Reads a track. Returns nil if it has no media.
    mutating func parse(_ payload: ByteReader) throws(ContainerError) -> MovieTrack? {
        var media: ByteReader?
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            switch header.type {
            case "tkhd": try trackHeader(box)
            case "edts": try editBox(box)
            case "mdia": media = box
            default: break
            }
        }
        guard let media else { return nil }
        try parseMedia(media)
        guard let table else { return nil }
        var track = MediaTrack(
            id: id, kind: kind, formats: table.formats.map(\.format), timescale: timescale, duration: duration,
            language: language)
        track.isEnabled = isEnabled
        if track.kind == .video, table.table.sampleCount > 1, let duration, duration > 0 {
            track.frameRate = Double(table.table.sampleCount) * Double(timescale) / Double(duration)
        }
        if track.kind == .video, matrix.count == 9, matrix != TrackHeaderWriter.upright { track.matrix = matrix }
        return MovieTrack(media: track, table: table.table, edits: edits, handler: handler)
    }

    private var kind: MediaKind {
        switch handler {
        case "vide", "auxv", "pict": .video
        case "soun": .audio
        case "text", "subt", "sbtl", "clcp", "subp": .text
        default: .data
        }
    }

    private mutating func trackHeader(_ payload: ByteReader) throws(ContainerError) {
        var reader = payload
        let full = try FullBox(&reader)
        try reader.skip(full.version == 1 ? 16 : 8)
        id = try reader.uint32()
        isEnabled = full.flags & 1 != 0
        // Reserved, duration, reserved, layer, alternate group, volume and reserved precede the matrix.
        guard (try? reader.skip(full.version == 1 ? 28 : 24)) != nil, reader.remaining >= 36 else { return }
        for _ in 0..<9 { matrix.append(try reader.int32()) }
    }

    private mutating func editBox(_ payload: ByteReader) throws(ContainerError) {
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            guard header.type == "elst" else { continue }
            var reader = box
            edits = try EditList(&reader)
        }
    }

    private mutating func parseMedia(_ payload: ByteReader) throws(ContainerError) {
        var information: ByteReader?
        var boxes = BoxIterator(payload)
        while let (header, box) = try boxes.next() {
            var reader = box
            switch header.type {
            case "mdhd":
                let full = try FullBox(&reader)
                try reader.skip(full.version == 1 ? 16 : 8)
                timescale = try MediaHeader.timescale(&reader, "mdhd")
                duration = try MediaHeader.duration(&reader, version: full.version, timescale: timescale)
                language = MediaHeader.language(try reader.uint16())
            case "elng":
                // The standard defines a full box, but some writers omit version and flags.
                if reader.remaining > 4, reader.bytes[reader.position] == 0 { try reader.skip(4) }
                let text = reader.takeRest().prefix { $0 != 0 }
                if !text.isEmpty { language = String(decoding: text, as: UTF8.self) }
            case "hdlr":
                try reader.skip(8)
                handler = try reader.fourCC()
            case "minf": information = box
            default: break
            }
        }
        guard timescale > 0 else { throw ContainerError(.malformed, "trak \(id): no mdhd", at: payload.origin) }
        guard let information else { return }
        boxes = BoxIterator(information)
        while let (header, box) = try boxes.next() {
            guard header.type == "stbl" else { continue }
            var parser = SampleTableParser(bytes: bytes, origin: origin, handler: handler)
            try parser.parse(box)
            table = parser
        }
    }
}

/// Parsing of the fields that `mvhd` and `mdhd` share (ISO/IEC 14496-12, 8.2.2 and 8.4.2).
enum MediaHeader {
    /// Reads a timescale of 1 to 2³¹ - 1. Throws `malformed` for any other value.
    static func timescale(_ reader: inout ByteReader, _ box: FourCC) throws(ContainerError) -> Int32 {
        let place = reader.offset
        let value = try reader.uint32()
        guard value > 0, let timescale = Int32(exactly: value) else {
            throw ContainerError(.malformed, "\(box): invalid timescale \(value)", at: place)
        }
        return timescale
    }

    /// Reads a duration. Returns nil if it is unknown (all ones) or exceeds the bounds of ``Timescale``.
    static func duration(
        _ reader: inout ByteReader, version: UInt8, timescale: Int32
    ) throws(ContainerError) -> Int64? {
        let value: UInt64
        if version == 1 {
            value = try reader.uint64()
        } else {
            let short = try reader.uint32()
            value = short == .max ? .max : UInt64(short)
        }
        return Int64(exactly: value).flatMap { Timescale.isInBounds($0, of: timescale) ? $0 : nil }
    }

    /// Returns the language of `mdhd`: three letters of five bits each, or a QuickTime language number.
    static func language(_ packed: UInt16) -> String? {
        guard packed >= 0x400 else { return LanguageCode.ofMacintosh(packed) }
        guard packed != 0x7FFF else { return nil }
        var text = ""
        for shift in [10, 5, 0] as [UInt16] {
            let letter = UInt8(packed >> shift & 0x1F) + 0x60
            guard (0x61...0x7A).contains(letter) else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(letter))
        }
        return text
    }
}
