/// A parser that splits AAC in ADTS into frames (ISO/IEC 14496-3, 1.A.2.2).
final class ADTSFrameParser: SyncFrameParser {
    private var lastHeader: ADTSHeader?
    /// The last program config element, which defines the channels if the channel configuration is 0.
    private var lastProgram: [UInt8]?

    override var headerLength: Int { ADTSHeader.length }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
        ADTSHeader(bytes, at: offset)?.frameLength
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard let header = ADTSHeader(frame, at: 0) else { return }
        duration = FrameDuration(samples: Int64(header.blocks) * 1024, rate: Int64(header.sampleRate))
        let program =
            header.channelConfiguration == 0
            ? GeneralAudioConfig.programElement(of: UnsafeRawBufferPointer(rebasing: frame[header.headerLength...]))
            : nil
        if let lastHeader, lastHeader.continues(header), program == nil || program == lastProgram { return }
        lastHeader = header
        lastProgram = program
        let configuration = header.configuration
        let bytes = configuration.bytes + (program ?? [])
        setFormat(
            MediaFormat(
                codec: .aac, codecString: configuration.codecString, configuration: bytes, sampleEntry: "mp4a",
                sampleRate: configuration.sampleRate,
                channels: program == nil ? configuration.channels : Self.programChannels(bytes), framing: .adts))
    }

    /// Returns the number of channels of the program config element in an AudioSpecificConfig.
    private static func programChannels(_ configuration: [UInt8]) -> Int {
        configuration.withUnsafeBytes { bytes in
            var reader = BitReader(bytes)
            guard let configuration = try? AudioSpecificConfig(&reader),
                let details = try? GeneralAudioConfig(&reader, after: configuration)
            else { return 0 }
            return details.programChannels
        }
    }
}

/// The header of an ADTS frame (ISO/IEC 14496-3, 1.A.2.2; 13818-7, 6.2).
struct ADTSHeader: Equatable {
    /// The length of a header without a checksum, in bytes.
    static let length = 7

    var objectType: Int
    var sampleRateIndex: Int
    var channelConfiguration: Int
    /// The length of the header in bytes: 7, or with a checksum 9 and two more for each block after the first, whose
    /// position it lists (adts_header_error_check).
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
        objectType = Int(word >> 14 & 3) + 1
        sampleRateIndex = Int(word >> 10 & 15)
        channelConfiguration = Int(word >> 6 & 7)
        frameLength = Int(word & 3) << 11 | Int(rest >> 5)
        blocks = Int(last & 3) + 1
        headerLength = word >> 16 & 1 == 1 ? Self.length : Self.length + 2 * blocks
        guard sampleRateIndex < AudioSpecificConfig.sampleRates.count, frameLength >= headerLength else { return nil }
    }

    var sampleRate: Int { AudioSpecificConfig.sampleRates[sampleRateIndex] }

    var configuration: AudioSpecificConfig {
        AudioSpecificConfig(objectType: objectType, sampleRate: sampleRate, channelConfiguration: channelConfiguration)
    }

    /// Returns whether two headers describe the same format.
    func continues(_ other: ADTSHeader) -> Bool {
        objectType == other.objectType && sampleRateIndex == other.sampleRateIndex
            && channelConfiguration == other.channelConfiguration
    }
}
