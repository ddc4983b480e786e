/// A parser that splits AAC in the AudioSyncStream of LATM into frames (ISO/IEC 14496-3, 1.7.2), as used in DVB.
final class LOASFrameParser: SyncFrameParser {
    private var multiplex: StreamMuxConfig?

    override var headerLength: Int { 3 }

    override func frameLength(_ bytes: UnsafeRawBufferPointer, at place: Int) -> Int? {
        guard place + 3 <= bytes.count else { return nil }
        // An 11-bit syncword of 0x2B7, then the 13-bit length of the rest.
        guard bytes[place] == 0x56, bytes[place + 1] & 0xE0 == 0xE0 else { return nil }
        let length = Int(bytes[place + 1] & 0x1F) << 8 | Int(bytes[place + 2])
        return length == 0 ? nil : 3 + length
    }

    override func readFrame(_ frame: UnsafeRawBufferPointer) {
        guard frame.count > 3 else { return }
        let element = UnsafeRawBufferPointer(rebasing: frame[3...])
        var reader = BitReader(element)
        guard let repeats = try? reader.flag(), !repeats else { return }
        guard let found = try? StreamMuxConfig(&reader, bytes: element), found != multiplex else { return }
        multiplex = found
        let configuration = found.configuration
        duration = FrameDuration(
            samples: Int64(found.details.frameLength * found.subframes), rate: Int64(max(1, configuration.sampleRate)))
        setFormat(
            MediaFormat(
                codec: .aac, codecString: configuration.codecString, configuration: found.configurationBytes,
                sampleEntry: "mp4a", sampleRate: configuration.extensionSampleRate ?? configuration.sampleRate,
                channels: max(configuration.channels, found.details.programChannels), framing: .loas))
    }
}

/// An extractor of AAC frames from AudioSyncStream frames (ISO/IEC 14496-3, 1.7.3), for containers that store bare
/// frames.
struct LOASPayload {
    private var multiplex: StreamMuxConfig?

    /// Appends the AAC payloads of a frame to `target`. Returns the length of each in bytes.
    mutating func append(_ frame: UnsafeRawBufferPointer, to target: inout [UInt8]) throws(ContainerError) -> [Int] {
        guard frame.count > 3 else { throw ContainerError(.truncated, "LOAS: empty frame") }
        let element = UnsafeRawBufferPointer(rebasing: frame[3...])
        var reader = BitReader(element)
        if try !reader.flag() { multiplex = try StreamMuxConfig(&reader, bytes: element) }
        guard let multiplex else { throw ContainerError(.malformed, "LATM: frame before the first StreamMuxConfig") }
        var lengths: [Int] = []
        for _ in 0..<multiplex.subframes {
            let length = try reader.sumOfBytes()
            guard length * 8 <= reader.remaining else {
                throw ContainerError(.truncated, "LATM: payload of \(length) bytes, \(reader.remaining / 8) left")
            }
            BitCopy.append(element, from: element.count * 8 - reader.remaining, count: length * 8, to: &target)
            try reader.skip(length * 8)
            lengths.append(length)
        }
        return lengths
    }
}

/// The StreamMuxConfig of LATM (ISO/IEC 14496-3, 1.7.3.1) for one program with one layer, the only form used in
/// broadcasts.
struct StreamMuxConfig: Equatable {
    var configuration: AudioSpecificConfig
    var details: GeneralAudioConfig
    /// The bits of the AudioSpecificConfig, padded to bytes.
    var configurationBytes: [UInt8]
    /// `numSubFrames` + 1.
    var subframes: Int

    init(_ reader: inout BitReader, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        let version = try reader.bits(1)
        if version == 1, try reader.flag() {
            throw ContainerError(.unsupported, "LATM with audioMuxVersionA 1 isn't supported", at: reader.offset)
        }
        if version == 1 { _ = try Self.value(&reader) }
        guard try reader.flag() else { throw Self.unsupported("differently timed streams", reader) }
        subframes = Int(try reader.bits(6)) + 1
        guard try reader.bits(4) == 0, try reader.bits(3) == 0 else { throw Self.unsupported("several layers", reader) }
        var configurationLength = version == 1 ? Int(try Self.value(&reader)) : 0
        let start = bytes.count * 8 - reader.remaining
        configuration = try AudioSpecificConfig(&reader)
        details = try GeneralAudioConfig(&reader, after: configuration)
        let used = bytes.count * 8 - reader.remaining - start
        if version == 1 {
            guard configurationLength >= used else { throw Self.unsupported("a short AudioSpecificConfig", reader) }
            try reader.skip(configurationLength - used)
        } else {
            configurationLength = used
        }
        guard configurationLength <= 1024 else { throw Self.unsupported("a long AudioSpecificConfig", reader) }
        configurationBytes = BitCopy.bytes(of: bytes, from: start, count: configurationLength)
        // frameLengthType 0: each payload is preceded by its length in bytes.
        guard try reader.bits(3) == 0 else { throw Self.unsupported("fixed-length payloads", reader) }
        try reader.skip(8)
        if try reader.flag() {
            if version == 1 {
                _ = try Self.value(&reader)
            } else {
                var (more, otherDataBits) = (true, 0)
                while more, otherDataBits < 1 << 20 {
                    more = try reader.flag()
                    otherDataBits = otherDataBits &<< 8 | Int(try reader.bits(8))
                }
            }
        }
        if try reader.flag() { try reader.skip(8) }
    }

    /// Reads a value in the syntax of `LatmGetValue`.
    private static func value(_ reader: inout BitReader) throws(ContainerError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0...(try reader.bits(2)) { value = value << 8 | (try reader.bits(8)) }
        return value
    }

    private static func unsupported(_ feature: String, _ reader: BitReader) -> ContainerError {
        ContainerError(.unsupported, "LATM with \(feature) isn't supported", at: reader.offset)
    }
}

/// Copying of bit ranges that aren't byte-aligned.
enum BitCopy {
    /// Returns bits from `start` as bytes, padding the last byte with zeros. Bits past the end of the source are zero.
    static func bytes(of source: UnsafeRawBufferPointer, from start: Int, count: Int) -> [UInt8] {
        var target: [UInt8] = []
        append(source, from: start, count: count, to: &target)
        return target
    }

    /// Appends bits from `start` as bytes, padding the last byte with zeros.
    static func append(_ source: UnsafeRawBufferPointer, from start: Int, count: Int, to target: inout [UInt8]) {
        guard start >= 0, count > 0 else { return }
        let shift = UInt16(start % 8)
        var index = start / 8
        var left = count
        while left > 0 {
            let high = index < source.count ? UInt16(source[index]) : 0
            let low = index + 1 < source.count ? UInt16(source[index + 1]) : 0
            var byte = UInt8(truncatingIfNeeded: ((high << 8 | low) << shift) >> 8)
            if left < 8 { byte &= 0xFF << UInt8(8 - left) }
            target.append(byte)
            index += 1
            left -= 8
        }
    }
}
