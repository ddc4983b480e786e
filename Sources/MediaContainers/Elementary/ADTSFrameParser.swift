/// A parser that splits AAC in ADTS into frames (ISO/IEC 14496-3, 1.A.2.2).
final class ADTSFrameParser: SyncFrameParser {
    private var lastHeader: ADTSHeader?

    override var headerLength: Int { ADTSHeader.length }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        ADTSHeader(bytes, at: offset)?.frameLength
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = ADTSHeader(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.blocks) * 1024, rate: Int64(header.sampleRate))
        if let lastHeader, lastHeader.continues(header) { return }
        lastHeader = header
        let configuration = header.configuration
        setFormat(
            MediaFormat(
                codec: .aac, codecString: configuration.codecString, configuration: configuration.bytes,
                sampleEntry: "mp4a", sampleRate: configuration.sampleRate, channels: configuration.channels,
                framing: .adts))
    }
}

/// The header of an ADTS frame (ISO/IEC 14496-3, 1.A.2.2; 13818-7, 6.2).
struct ADTSHeader: Equatable {
    /// The length of a header without a checksum, in bytes.
    static let length = 7

    var objectType: Int
    var sampleRateIndex: Int
    var channelConfiguration: Int
    /// The length of the header in bytes: 7, or 9 with a checksum.
    var headerLength: Int
    /// The length of the frame in bytes, including the header.
    var frameLength: Int
    /// The number of blocks of 1,024 samples, 1 to 4.
    var blocks: Int

    /// Reads the header at an index. Returns nil if there is none or too few bytes are left.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset >= 0, offset + Self.length <= bytes.count, let base = bytes.baseAddress else { return nil }
        let word = (base + offset).loadUnaligned(as: UInt32.self).bigEndian
        let rest = (base + offset + 4).loadUnaligned(as: UInt16.self).bigEndian
        let last = (base + offset + 6).load(as: UInt8.self)
        // syncword 0xFFF, ID, layer 0.
        guard word >> 20 == 0xFFF, word >> 17 & 3 == 0 else { return nil }
        headerLength = word >> 16 & 1 == 1 ? 7 : 9
        objectType = Int(word >> 14 & 3) + 1
        sampleRateIndex = Int(word >> 10 & 15)
        channelConfiguration = Int(word >> 6 & 7)
        frameLength = Int(word & 3) << 11 | Int(rest >> 5)
        blocks = Int(last & 3) + 1
        guard sampleRateIndex < AudioSpecificConfig.sampleRates.count, frameLength >= headerLength else { return nil }
    }

    var sampleRate: Int { AudioSpecificConfig.sampleRates[sampleRateIndex] }

    var configuration: AudioSpecificConfig {
        AudioSpecificConfig(
            objectType: objectType, sampleRate: sampleRate, channelConfiguration: channelConfiguration)
    }

    /// Returns whether two headers describe the same format. The format is part of the fixed header, which is equal in
    /// all frames of a stream (1.A.2.2.1).
    func continues(_ other: ADTSHeader) -> Bool {
        objectType == other.objectType && sampleRateIndex == other.sampleRateIndex
            && channelConfiguration == other.channelConfiguration
    }
}
