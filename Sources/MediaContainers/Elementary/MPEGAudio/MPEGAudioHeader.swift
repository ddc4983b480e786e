/// The header of a frame of MPEG-1 or MPEG-2 audio (ISO/IEC 11172-3, 2.4.1.3; 13818-3, 2.4.1.3).
struct MPEGAudioHeader: Equatable {
    static let length = 4

    /// 1 to 3.
    var layer: Int
    /// Whether it is MPEG-1; else MPEG-2, or its extension to low rates.
    var isFirstGeneration: Bool
    var sampleRate: Int
    var channels: Int
    /// The frame's length in bytes.
    var frameLength: Int
    var samples: Int

    /// Reads a header at a place; nil where there is none, or it is of free format.
    init?(_ bytes: UnsafeRawBufferPointer, at place: Int) {
        guard place >= 0, place + Self.length <= bytes.count else { return nil }
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self).bigEndian
        guard word >> 21 == 0x7FF else { return nil }
        let version = Int(word >> 19 & 3)
        layer = 4 - Int(word >> 17 & 3)
        let rateIndex = Int(word >> 12 & 15)
        let frequencyIndex = Int(word >> 10 & 3)
        guard version != 1, layer < 4, (1...14).contains(rateIndex), frequencyIndex < 3 else { return nil }
        isFirstGeneration = version == 3
        sampleRate = [44100, 48000, 32000][frequencyIndex] >> (isFirstGeneration ? 0 : version == 2 ? 1 : 2)
        let rates = isFirstGeneration ? Self.firstRates[layer - 1] : Self.secondRates[layer == 1 ? 0 : 1]
        let rate = rates[rateIndex - 1] * 1000
        let padding = Int(word >> 9 & 1)
        channels = word >> 6 & 3 == 3 ? 1 : 2
        switch layer {
        case 1:
            samples = 384
            frameLength = (12 * rate / sampleRate + padding) * 4
        case 2:
            samples = 1152
            frameLength = 144 * rate / sampleRate + padding
        default:
            samples = isFirstGeneration ? 1152 : 576
            frameLength = samples / 8 * rate / sampleRate + padding
        }
    }

    private static let firstRates = [
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    ]
    private static let secondRates = [
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]
}
