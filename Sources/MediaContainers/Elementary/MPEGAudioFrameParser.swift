/// A parser that splits MPEG audio of layers I to III into frames (ISO/IEC 11172-3, 13818-3).
final class MPEGAudioFrameParser: SyncFrameParser {
    /// The header of the last frame, or nil after a loss of sync.
    private var lastHeader: MPEGAudioHeader?

    override var headerLength: Int { MPEGAudioHeader.length }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard let header = MPEGAudioHeader(bytes, at: offset) else { return nil }
        // The 11 sync bits also occur in other data. Within a sequence of frames, layer and rate are constant.
        if let lastHeader, lastHeader.layer != header.layer || lastHeader.sampleRate != header.sampleRate { return nil }
        return header.frameLength
    }

    override func reset() {
        super.reset()
        lastHeader = nil
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = MPEGAudioHeader(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.samples), rate: Int64(header.sampleRate))
        let isNew = lastHeader == nil || lastHeader?.channels != header.channels
        lastHeader = header
        guard isNew || format == nil else { return }
        let codec: Codec =
            switch header.layer {
            case 1: .other("mp1 ")
            case 2: .mp2
            default: .mp3
            }
        // Object type 0x6B is MPEG-1 audio, 0x69 is MPEG-2 audio (ISO/IEC 14496-1, table 5).
        setFormat(
            MediaFormat(
                codec: codec, codecString: header.isFirstGeneration ? "mp4a.6B" : "mp4a.69", sampleEntry: "mp4a",
                sampleRate: header.sampleRate, channels: header.channels))
    }
}

/// The header of an MPEG-1 or MPEG-2 audio frame (ISO/IEC 11172-3, 2.4.1.3; 13818-3, 2.4.1.3).
struct MPEGAudioHeader: Equatable {
    static let length = 4

    var layer: Int
    /// Whether the frame is MPEG-1; otherwise it's MPEG-2 or MPEG-2.5.
    var isFirstGeneration: Bool
    var sampleRate: Int
    var channels: Int
    var frameLength: Int
    var samples: Int

    /// Reads the header at an index. Returns nil if there is none or the bit rate is in free format.
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset >= 0, offset + Self.length <= bytes.count else { return nil }
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian
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

/// The bit rate of MPEG audio.
public enum MPEGAudioRate {
    /// Returns the mean number of bytes per second of the complete frames at the beginning of the bytes, after at most
    /// 4,095 other bytes. Returns nil without two consecutive frames.
    public static func bytesPerSecond(_ bytes: UnsafeRawBufferPointer) -> Double? {
        for start in 0..<min(bytes.count, 4096) {
            guard let first = MPEGAudioHeader(bytes, at: start),
                let second = MPEGAudioHeader(bytes, at: start + first.frameLength),
                second.layer == first.layer, second.sampleRate == first.sampleRate
            else { continue }
            var (offset, seconds) = (start, 0.0)
            while let header = MPEGAudioHeader(bytes, at: offset), offset + header.frameLength <= bytes.count {
                offset += header.frameLength
                seconds += Double(header.samples) / Double(header.sampleRate)
            }
            return seconds > 0 ? Double(offset - start) / seconds : nil
        }
        return nil
    }
}

/// The information frame at the start of an MPEG audio file, which contains no audio: "Xing", "Info" or "VBRI", with
/// LAME's tag. No standard defines it.
struct MPEGAudioInformation {
    /// The decoder delay plus the encoder delay in samples, or 0 if the latter is unknown.
    let priming: Int64

    /// The delay of layer III decoders in samples.
    private static let decoderDelay: Int64 = 529

    /// Reads the first frame of a file. Returns nil if it contains audio.
    init?(_ frame: UnsafeRawBufferPointer) {
        guard let header = MPEGAudioHeader(frame, at: 0), header.layer == 3 else { return nil }
        let isMono = header.channels == 1
        let sideLength = header.isFirstGeneration ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        if let start = Self.offset(of: ["Xing", "Info"], in: frame, at: MPEGAudioHeader.length + sideLength) {
            priming = Self.encoderDelay(frame, behind: start).map { $0 + Self.decoderDelay } ?? 0
        } else if Self.offset(of: ["VBRI"], in: frame, at: MPEGAudioHeader.length + 32) != nil {
            priming = 0
        } else {
            return nil
        }
    }

    private static func offset(of names: [String], in frame: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        guard offset + 8 <= frame.count else { return nil }
        let found = frame[offset..<offset + 4]
        return names.contains { found.elementsEqual($0.utf8) } ? offset : nil
    }

    /// Reads the encoder delay from LAME's tag, which follows the fields indicated by the flags. The 12-bit delay is at
    /// byte 21 of the tag.
    private static func encoderDelay(_ frame: UnsafeRawBufferPointer, behind start: Int) -> Int64? {
        let flags = frame[start + 7]
        var offset = start + 8
        for (bit, length) in [4, 4, 100, 4].enumerated() where flags >> bit & 1 == 1 { offset += length }
        guard offset + 24 <= frame.count,
            ["LAME", "Lavf", "Lavc"].contains(where: { name in
                frame[offset..<offset + 4].elementsEqual(name.utf8)
            })
        else { return nil }
        return Int64(frame[offset + 21]) << 4 | Int64(frame[offset + 22]) >> 4
    }
}
