/// An AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
public struct AudioSpecificConfig: Sendable, Hashable {
    /// The audio object type, such as 2 (AAC LC), 5 (SBR), 29 (PS), 36 (ALS) or 42 (xHE-AAC).
    public var objectType: Int
    /// The sample rate of the core, in Hz.
    public var sampleRate: Int
    /// The sample rate after SBR, in Hz; nil unless SBR is signaled explicitly.
    public var extensionSampleRate: Int?
    /// The channel configuration, 0 to 15; 0 if a program config element defines the channels.
    public var channelConfiguration: Int

    /// The channel count of the channel configuration (1.6.3.5), or 0 if the configuration doesn't define it.
    public var channels: Int {
        switch channelConfiguration {
        case 1...6: channelConfiguration
        case 7, 12, 14: 8
        case 11: 7
        case 13: 24
        default: 0
        }
    }

    /// The sampling frequencies in Hz by index (table 1.18).
    public static let sampleRates = [
        96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350,
    ]

    /// Creates a configuration.
    public init(objectType: Int, sampleRate: Int, channelConfiguration: Int, extensionSampleRate: Int? = nil) {
        self.objectType = objectType
        self.sampleRate = sampleRate
        self.channelConfiguration = channelConfiguration
        self.extensionSampleRate = extensionSampleRate
    }

    /// Reads a configuration. Throws when the record ends early or the sampling frequency index is reserved.
    public init(record: [UInt8]) throws(ContainerError) {
        self = try record.withBorrowedBytes { (buffer) throws(ContainerError) in
            var reader = BitReader(buffer)
            var config = try AudioSpecificConfig(&reader)
            try config.readSyncExtension(reader)
            return config
        }
    }

    /// Reads a configuration at the position of a bit reader, as embedded in LATM. Throws as ``init(record:)`` does.
    public init(_ reader: inout BitReader) throws(ContainerError) {
        objectType = try Self.readObjectType(&reader)
        sampleRate = try Self.readSampleRate(&reader)
        channelConfiguration = Int(try reader.bits(4))
        extensionSampleRate = nil
        if objectType == 5 || objectType == 29 {
            extensionSampleRate = try Self.readSampleRate(&reader)
        }
    }

    /// The bytes of the configuration, followed by a GASpecificConfig for frames of 1,024 samples (4.4.1), without a
    /// program config element.
    public var bytes: [UInt8] {
        var bits = BitWriter()
        bits.write(objectType: objectType)
        bits.write(sampleRate: sampleRate)
        bits.write(UInt32(truncatingIfNeeded: channelConfiguration), count: 4)
        if objectType == 5 || objectType == 29 {
            bits.write(sampleRate: extensionSampleRate ?? sampleRate)
            bits.write(objectType: 2)
        }
        bits.write(0, count: 3)
        return bits.bytes
    }

    /// Reads the backward-compatible SBR extension after the configuration, which older decoders ignore (1.6.2.1).
    private mutating func readSyncExtension(_ rest: BitReader) throws(ContainerError) {
        guard extensionSampleRate == nil else { return }
        var position = rest
        while position.remaining >= 21 {
            var reader = position
            if try reader.bits(11) == 0x2B7, try reader.bits(5) == 5 {
                if try reader.flag(), reader.remaining >= 4 { extensionSampleRate = try Self.readSampleRate(&reader) }
                return
            }
            try position.skip(1)
        }
    }

    private static func readObjectType(_ reader: inout BitReader) throws(ContainerError) -> Int {
        let type = Int(try reader.bits(5))
        return type == 31 ? 32 + Int(try reader.bits(6)) : type
    }

    private static func readSampleRate(_ reader: inout BitReader) throws(ContainerError) -> Int {
        let index = Int(try reader.bits(4))
        if index == 15 { return Int(try reader.bits(24)) }
        guard index < sampleRates.count else {
            throw ContainerError(.malformed, "AudioSpecificConfig: reserved sampling frequency index \(index)")
        }
        return sampleRates[index]
    }

    /// The codec string of RFC 6381, 3.3.
    public var codecString: String { "mp4a.40.\(objectType)" }
}

extension BitWriter {
    fileprivate mutating func write(objectType: Int) {
        guard objectType >= 31 else { return write(UInt32(truncatingIfNeeded: objectType), count: 5) }
        write(31, count: 5)
        write(UInt32(truncatingIfNeeded: objectType - 32), count: 6)
    }

    fileprivate mutating func write(sampleRate: Int) {
        if let index = AudioSpecificConfig.sampleRates.firstIndex(of: sampleRate) {
            return write(UInt32(truncatingIfNeeded: index), count: 4)
        }
        write(15, count: 4)
        write(UInt32(truncatingIfNeeded: sampleRate), count: 24)
    }
}

/// The GASpecificConfig after an AudioSpecificConfig of AAC (ISO/IEC 14496-3, 4.4.1).
struct GeneralAudioConfig: Equatable {
    /// Samples per frame of the core, 1,024 or 960.
    var frameLength = 1024
    /// Channels of the program config element, or 0 if there is none.
    var programChannels = 0

    /// Reads from the end of `configuration`. Throws `unsupported` for an object type without a GASpecificConfig.
    init(_ reader: inout BitReader, after configuration: AudioSpecificConfig) throws(ContainerError) {
        var type = configuration.objectType
        // If SBR or PS is signaled first, the object type of the core follows.
        if type == 5 || type == 29 { type = Int(try reader.bits(5)) }
        guard [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(type) else {
            throw ContainerError(
                .unsupported, "AudioSpecificConfig: unsupported object type \(type)", at: reader.offset)
        }
        if try reader.flag() { frameLength = 960 }
        if try reader.flag() { try reader.skip(14) }
        let hasExtension = try reader.flag()
        if configuration.channelConfiguration == 0 {
            programChannels = try Self.programFields(&reader)
            try reader.align()
            try reader.skip(8 * Int(try reader.bits(8)))
        }
        if type == 6 || type == 20 { try reader.skip(3) }
        guard hasExtension else { return }
        if type == 22 { try reader.skip(16) }
        if [17, 19, 20, 23].contains(type) { try reader.skip(3) }
        try reader.skip(1)
    }

    /// Returns the program config element at the start of a raw data block (4.4.2.1), with the alignment that it needs
    /// after ``AudioSpecificConfig/bytes``. Returns nil if the block begins with another element or ends early.
    static func programElement(of block: UnsafeRawBufferPointer) -> [UInt8]? {
        var reader = BitReader(block)
        // ID_PCE, in three bits.
        guard (try? reader.bits(3)) == 5, (try? programFields(&reader)) != nil else { return nil }
        var element = BitCopy.bytes(of: block, from: 3, count: block.count * 8 - reader.remaining - 3)
        guard (try? reader.align()) != nil, let length = try? reader.bits(8), Int(length) * 8 <= reader.remaining else {
            return nil
        }
        let comment = block.count - reader.remaining / 8
        element.append(UInt8(truncatingIfNeeded: length))
        element += block[comment..<comment + Int(length)]
        return element
    }

    /// Reads the fields of a program config element (4.4.1.1) before the alignment and the comment. Returns the number
    /// of channels.
    private static func programFields(_ reader: inout BitReader) throws(ContainerError) -> Int {
        try reader.skip(10)
        let front = Int(try reader.bits(4))
        let side = Int(try reader.bits(4))
        let back = Int(try reader.bits(4))
        let lowFrequency = Int(try reader.bits(2))
        let data = Int(try reader.bits(3))
        let coupling = Int(try reader.bits(4))
        if try reader.flag() { try reader.skip(4) }
        if try reader.flag() { try reader.skip(4) }
        if try reader.flag() { try reader.skip(3) }
        var channels = lowFrequency
        for _ in 0..<front + side + back {
            channels += try reader.flag() ? 2 : 1
            try reader.skip(4)
        }
        try reader.skip(4 * (lowFrequency + data) + 5 * coupling)
        return channels
    }
}
