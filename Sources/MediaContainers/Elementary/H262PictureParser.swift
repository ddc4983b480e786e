/// A parser that splits H.262 and MPEG-1 video into coded frames, including the headers before each frame (ISO/IEC
/// 13818-2, 6.2).
final class H262PictureParser: FrameParser {
    private var scanned = 0
    /// Whether a header has been found at the beginning. Bytes before the first header don't belong to a picture.
    private var hasBegun = false
    private var hasPicture = false
    private var hasSlice = false
    private var foundSync = false
    /// `picture_structure`: 1 top field, 2 bottom field, 3 frame.
    private var structure: UInt8 = 3
    private var firstField: UInt8?
    private var sequenceStart: Int?

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        while let start = StartCode.first(in: bytes, from: scanned, to: bytes.count) {
            let header = start + StartCode.length
            // The longest header read here has 8 bytes after its start code.
            guard isLast || header + 9 <= bytes.count else {
                scanned = start
                return .incomplete
            }
            guard header < bytes.count else { break }
            let code = bytes[header]
            if !hasBegun, [0x00, 0xB3, 0xB8].contains(code) {
                hasBegun = true
                hasSlice = false
                if start > 0 {
                    scanned = 0
                    return .garbage(start)
                }
            }
            closeSequence(bytes, end: start, code: code)
            switch code {
            case 0x01...0xAF: hasSlice = true
            case 0x00, 0xB3, 0xB8:
                if hasSlice, completesPicture(code) { return finish(start) }
                if code == 0x00 { beginPicture(bytes, at: header) }
                if code == 0xB3 { sequenceStart = start }
            case 0xB5: readExtension(bytes, at: header)
            default: break
            }
            scanned = header
        }
        guard isLast else {
            scanned = max(scanned, bytes.count - 3)
            return .incomplete
        }
        guard hasPicture, hasSlice else {
            reset()
            return bytes.isEmpty ? .incomplete : .garbage(bytes.count)
        }
        return finish(bytes.count)
    }

    override func reset() {
        scanned = 0
        hasBegun = false
        hasPicture = false
        hasSlice = false
        foundSync = false
        structure = 3
        firstField = nil
        sequenceStart = nil
    }

    private func finish(_ length: Int) -> Scan {
        isSync = foundSync
        reset()
        return .frame(length)
    }

    /// Returns whether a start code after slices ends the frame. A second field continues the frame.
    private func completesPicture(_ code: UInt8) -> Bool {
        guard code == 0x00, structure != 3, firstField == nil else { return true }
        firstField = structure
        hasSlice = false
        return false
    }

    private func beginPicture(_ bytes: UnsafeRawBufferPointer, at header: Int) {
        guard header + 2 < bytes.count else { return }
        // temporal_reference (10 bits), picture_coding_type (3 bits; 1 is I).
        if !hasPicture { foundSync = bytes[header + 2] >> 3 & 7 == 1 }
        hasPicture = true
        structure = 3
    }

    private func readExtension(_ bytes: UnsafeRawBufferPointer, at header: Int) {
        // Picture coding extension: identifier 8, four f_codes, intra_dc_precision and picture_structure (2 bits each).
        guard header + 3 < bytes.count, bytes[header + 1] >> 4 == 8 else { return }
        structure = bytes[header + 3] & 3
    }

    /// Builds the format. The decoder configuration is the sequence header with its extensions.
    private func closeSequence(_ bytes: UnsafeRawBufferPointer, end: Int, code: UInt8) {
        guard let start = sequenceStart, code != 0xB5, code != 0xB2, end > start else { return }
        sequenceStart = nil
        let unit = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard unit.count > 4, unit.count <= ParameterSets.longest,
            let header = try? H262SequenceHeader(UnsafeRawBufferPointer(rebasing: unit[4...]))
        else { return }
        frameRate = header.frameRate
        let profile = unit.count > 12 ? H262Profile(unit) : nil
        var format = MediaFormat(
            codec: .mpeg2Video, codecString: profile?.codecString ?? "mp4v.6A", configuration: Array(unit),
            sampleEntry: "mp4v", width: header.width, height: header.height)
        // In MPEG-1, the codes are other ratios (ISO/IEC 11172-2, 2.4.3.2), which aren't supported.
        if profile != nil { format.videoBoxes = header.pixelAspect?.box ?? [] }
        setFormat(format)
    }
}

/// The sequence header of H.262 and MPEG-1 video (ISO/IEC 13818-2, 6.2.2.1; 11172-2, 2.4.2.3).
struct H262SequenceHeader {
    var width: Int
    var height: Int
    var frameRate: Double?
    /// `aspect_ratio_information`. In H.262, 1 means square pixels, and 2 to 4 are display aspect ratios.
    private var aspect: Int

    /// Reads the bytes after the start code 00 00 01 B3.
    init(_ bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = BitReader(bytes)
        width = Int(try reader.bits(12))
        height = Int(try reader.bits(12))
        aspect = Int(try reader.bits(4))
        let index = Int(try reader.bits(4))
        frameRate = index < Self.frameRates.count ? Self.frameRates[index] : nil
    }

    /// The pixel aspect ratio, derived from the display aspect ratio (table 6-3).
    var pixelAspect: PixelAspectRatio? {
        switch aspect {
        case 2: PixelAspectRatio(4 * height, 3 * width)
        case 3: PixelAspectRatio(16 * height, 9 * width)
        case 4: PixelAspectRatio(221 * height, 100 * width)
        default: nil
        }
    }

    /// The frame rates of table 6-4.
    private static let frameRates: [Double?] = [
        nil, 24000 / 1001, 24, 25, 30000 / 1001, 30, 50, 60000 / 1001, 60,
    ]
}

/// The profile of H.262 from the sequence extension (ISO/IEC 13818-2, 6.2.2.3), as an object type of MPEG-4 systems
/// (ISO/IEC 14496-1, table 5).
struct H262Profile {
    var objectType: UInt8

    /// Looks for the sequence extension after a sequence header. Returns nil for MPEG-1, which has none.
    init?(_ unit: UnsafeRawBufferPointer) {
        var start = StartCode.first(in: unit, from: StartCode.length, to: unit.count)
        while let found = start {
            let header = found + StartCode.length
            guard header + 1 < unit.count else { return nil }
            if unit[header] == 0xB5, unit[header + 1] >> 4 == 1 {
                // profile_and_level_indication: 5 simple, 4 main, 3 SNR, 2 spatial, 1 high.
                switch unit[header + 1] & 7 {
                case 5: objectType = 0x60
                case 3: objectType = 0x62
                case 2: objectType = 0x63
                case 1: objectType = 0x64
                default: objectType = 0x61
                }
                return
            }
            start = StartCode.first(in: unit, from: header, to: unit.count)
        }
        return nil
    }

    var codecString: String { "mp4v." + Hexadecimal.byte(objectType) }
}
