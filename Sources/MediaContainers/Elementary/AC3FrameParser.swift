/// A parser that splits AC-3 and Enhanced AC-3 into frames (ETSI TS 102 366). Dependent substreams belong to the
/// preceding frame (E.1.3.1.2).
final class AC3FrameParser: SyncFrameParser {
    private let isEnhanced: Bool
    private var lastConfiguration: [UInt8] = []

    /// Creates a parser. In an enhanced stream, only the next header reveals the end of a frame.
    init(isEnhanced: Bool) { self.isEnhanced = isEnhanced }

    override var headerLength: Int { AC3SyncFrame.headerLength }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        AC3SyncFrame(bytes, at: offset)?.length
    }

    override func joinedLength(_ bytes: UnsafeRawBufferPointer, first: Int, isLast: Bool) -> Int? {
        guard isEnhanced else { return first }
        var end = first
        // At most eight dependent substreams follow.
        for _ in 0..<8 {
            guard end + headerLength <= bytes.count else { return isLast ? end : nil }
            guard let next = AC3SyncFrame(bytes, at: end), next.isEnhanced, next.streamType == 1 else { return end }
            guard end + next.length <= bytes.count else { return isLast ? end : nil }
            end += next.length
        }
        return end
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = AC3SyncFrame(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.samples), rate: Int64(max(1, header.sampleRate)))
        let configuration =
            header.isEnhanced ? EnhancedAC3Configuration(frame, header).bytes : Self.configuration(header)
        guard configuration != lastConfiguration else { return }
        lastConfiguration = configuration
        setFormat(
            MediaFormat(
                codec: header.isEnhanced ? .eac3 : .ac3, codecString: header.isEnhanced ? "ec-3" : "ac-3",
                configuration: configuration, sampleEntry: header.isEnhanced ? "ec-3" : "ac-3",
                sampleRate: header.sampleRate, channels: header.channels))
    }

    /// Returns the content of `dac3` (F.4).
    private static func configuration(_ header: AC3SyncFrame) -> [UInt8] {
        var bits = UInt32(header.sampleRateCode) << 22 | UInt32(header.bitStreamID) << 17
        bits |= UInt32(header.bitStreamMode) << 14 | UInt32(header.channelMode) << 11
        bits |= (header.hasLowFrequency ? 1 : 0) << 10 | UInt32(header.bitRateCode) << 5
        return [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
}

/// The header of a sync frame of AC-3 or Enhanced AC-3 (ETSI TS 102 366, 4.3 and E.1.2).
struct AC3SyncFrame: Equatable {
    static let headerLength = 8

    var isEnhanced: Bool
    /// The length of the frame in bytes.
    var length: Int
    var sampleRate: Int
    /// The number of samples in the frame: 256 for each audio block.
    var samples: Int
    var sampleRateCode: UInt8
    var bitStreamID: UInt8
    var bitStreamMode: UInt8
    /// `acmod`, such as 2 for stereo and 7 for five channels.
    var channelMode: UInt8
    var hasLowFrequency: Bool
    /// `frmsizecod` / 2 (AC-3 only).
    var bitRateCode: UInt8 = 0
    /// `strmtyp` (Enhanced AC-3 only): 0 independent, 1 dependent, 2 converted from AC-3.
    var streamType: UInt8 = 0
    var substreamID: UInt8 = 0

    /// Reads the header at an index. Returns nil if there is none or too few bytes are left.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset >= 0, offset + Self.headerLength <= bytes.count else { return nil }
        guard bytes[offset] == 0x0B, bytes[offset + 1] == 0x77 else { return nil }
        bitStreamID = bytes[offset + 5] >> 3
        guard bitStreamID <= 16 else { return nil }
        isEnhanced = bitStreamID > 10
        if isEnhanced {
            let field = UInt16(bytes[offset + 2]) << 8 | UInt16(bytes[offset + 3])
            streamType = UInt8(field >> 14)
            substreamID = UInt8(field >> 11 & 7)
            length = (Int(field & 0x7FF) + 1) * 2
            let byte = bytes[offset + 4]
            sampleRateCode = byte >> 6
            let half = byte >> 4 & 3
            if sampleRateCode == 3 {
                guard half < 3 else { return nil }
                sampleRate = Self.sampleRates[Int(half)] / 2
                samples = 1536
            } else {
                sampleRate = Self.sampleRates[Int(sampleRateCode)]
                samples = 256 * [1, 2, 3, 6][Int(half)]
            }
            channelMode = byte >> 1 & 7
            hasLowFrequency = byte & 1 != 0
            bitStreamMode = 0
            guard streamType < 3, length > Self.headerLength else { return nil }
            return
        }
        let code = bytes[offset + 4]
        sampleRateCode = code >> 6
        let size = Int(code & 0x3F)
        guard sampleRateCode < 3, size < 2 * Self.bitRates.count else { return nil }
        bitRateCode = UInt8(size / 2)
        let rate = Self.bitRates[size / 2]
        switch sampleRateCode {
        case 0: length = rate * 4
        case 1: length = (rate * 96000 / 44100 + (size & 1)) * 2
        default: length = rate * 6
        }
        // Bit stream identifications 9 and 10 halve and quarter the rate.
        sampleRate = Self.sampleRates[Int(sampleRateCode)] >> max(0, Int(bitStreamID) - 8)
        samples = 1536
        bitStreamMode = bytes[offset + 5] & 7
        let modes = UInt16(bytes[offset + 6]) << 8 | UInt16(bytes[offset + 7])
        channelMode = UInt8(modes >> 13)
        // cmixlev, surmixlev and dsurmod precede lfeon in some modes.
        var skipped = 3
        if channelMode & 1 != 0, channelMode != 1 { skipped += 2 }
        if channelMode & 4 != 0 { skipped += 2 }
        if channelMode == 2 { skipped += 2 }
        hasLowFrequency = modes >> UInt16(15 - skipped) & 1 != 0
    }

    /// The number of channels, including the low-frequency channel.
    var channels: Int { [2, 1, 2, 3, 3, 4, 4, 5][Int(channelMode)] + (hasLowFrequency ? 1 : 0) }

    private static let sampleRates = [48000, 44100, 32000]
    /// Bit rates in kbit/s (table 4.13).
    private static let bitRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
}

/// The content of `dec3` (ETSI TS 102 366, F.6) for one independent substream and its dependent substreams.
struct EnhancedAC3Configuration {
    let bytes: [UInt8]

    init(_ frame: UnsafeRawBufferPointer, _ header: AC3SyncFrame) {
        var dependents: UInt32 = 0
        var locations: UInt32 = 0
        var end = header.length
        var total = header.length
        while let next = AC3SyncFrame(frame, at: end), next.streamType == 1 {
            dependents += 1
            locations |= Self.locations(frame, at: end)
            total = end + next.length
            end += next.length
        }
        // data_rate is the total in kbit/s.
        let rate = UInt32(min(0x1FFF, total * 8 * header.sampleRate / max(1, header.samples) / 1000))
        let front = rate << 3
        var substream = UInt32(header.sampleRateCode) << 30 | UInt32(header.bitStreamID) << 25
        substream |= UInt32(header.bitStreamMode) << 20 | UInt32(header.channelMode) << 17
        substream |= (header.hasLowFrequency ? 1 : 0) << 16 | dependents << 9 | (dependents > 0 ? locations : 0)
        var bytes = [UInt8(truncatingIfNeeded: front >> 8), UInt8(truncatingIfNeeded: front)]
        for shift in [24, 16, 8] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: substream >> shift)) }
        // Without dependent substreams, a reserved bit replaces chan_loc.
        if dependents > 0 { bytes.append(UInt8(truncatingIfNeeded: substream)) }
        self.bytes = bytes
    }

    /// Returns `chan_loc` for the channel map of a dependent substream (tables E.1.4 and F.6.1).
    private static func locations(_ frame: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        var reader = BitReader(UnsafeRawBufferPointer(rebasing: frame[offset...]))
        guard (try? reader.skip(16 + 16 + 4)) != nil, let mode = try? reader.bits(3), (try? reader.skip(11)) != nil
        else { return 0 }
        for _ in 0..<(mode == 0 ? 2 : 1) {
            guard let compresses = try? reader.flag() else { return 0 }
            if compresses, (try? reader.skip(8)) == nil { return 0 }
            if mode == 0, (try? reader.skip(5)) == nil { return 0 }
        }
        guard (try? reader.flag()) == true, let map = try? reader.bits(16) else { return 0 }
        var locations: UInt32 = 0
        for bit in 0..<8 where map & (1 << UInt32(10 - bit)) != 0 { locations |= 1 << UInt32(bit) }
        if map & 2 != 0 { locations |= 1 << 8 }
        return locations
    }
}
