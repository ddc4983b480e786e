/// The front of a sync frame of AC-3 or Enhanced AC-3 (ETSI TS 102 366, 4.3 and E.1.2).
struct AC3SyncFrame: Equatable {
    /// The bytes that must be there to read a header.
    static let headerLength = 8

    var isEnhanced: Bool
    /// The frame's length in bytes.
    var length: Int
    var sampleRate: Int
    /// Samples in the frame: 256 for each of its audio blocks.
    var samples: Int
    var sampleRateCode: UInt8
    var bitStreamID: UInt8
    var bitStreamMode: UInt8
    /// `acmod`: 2 is stereo, 7 is five channels.
    var channelMode: UInt8
    var hasLowFrequency: Bool
    /// AC-3: `frmsizecod` / 2.
    var bitRateCode: UInt8 = 0
    /// Enhanced AC-3, `strmtyp`: 0 independent, 1 dependent, 2 converted from AC-3.
    var streamType: UInt8 = 0
    var substreamID: UInt8 = 0

    /// Reads a header at a place; nil where there is none, or not enough bytes.
    init?(_ bytes: UnsafeRawBufferPointer, at place: Int) {
        guard place >= 0, place + Self.headerLength <= bytes.count else { return nil }
        guard bytes[place] == 0x0B, bytes[place + 1] == 0x77 else { return nil }
        bitStreamID = bytes[place + 5] >> 3
        guard bitStreamID <= 16 else { return nil }
        isEnhanced = bitStreamID > 10
        if isEnhanced {
            let field = UInt16(bytes[place + 2]) << 8 | UInt16(bytes[place + 3])
            streamType = UInt8(field >> 14)
            substreamID = UInt8(field >> 11 & 7)
            length = (Int(field & 0x7FF) + 1) * 2
            let byte = bytes[place + 4]
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
        let code = bytes[place + 4]
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
        // Identifiers 9 and 10 halve and quarter the rate.
        sampleRate = Self.sampleRates[Int(sampleRateCode)] >> max(0, Int(bitStreamID) - 8)
        samples = 1536
        bitStreamMode = bytes[place + 5] & 7
        let modes = UInt16(bytes[place + 6]) << 8 | UInt16(bytes[place + 7])
        channelMode = UInt8(modes >> 13)
        // cmixlev, surmixlev and dsurmod come between acmod and lfeon, each only in some modes.
        var skipped = 3
        if channelMode & 1 != 0, channelMode != 1 { skipped += 2 }
        if channelMode & 4 != 0 { skipped += 2 }
        if channelMode == 2 { skipped += 2 }
        hasLowFrequency = modes >> UInt16(15 - skipped) & 1 != 0
    }

    /// Full-range channels and the low-frequency one.
    var channels: Int { [2, 1, 2, 3, 3, 4, 4, 5][Int(channelMode)] + (hasLowFrequency ? 1 : 0) }

    private static let sampleRates = [48000, 44100, 32000]
    /// Kilobits per second (table 4.13).
    private static let bitRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]
}
