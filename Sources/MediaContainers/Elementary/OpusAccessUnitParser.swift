/// A parser that splits Opus in a transport stream into packets. A control header before each packet contains its size
/// (Xiph's OpusTS, an unpublished ETSI draft: "Opus Interactive Audio Codec; Transport Multiplexing Standard").
final class OpusAccessUnitParser: FrameParser {
    private let channelConfiguration: UInt8

    /// Creates a parser for the `channel_config_code` of the stream's descriptor.
    init(channelConfiguration: UInt8) { self.channelConfiguration = channelConfiguration }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        guard bytes.count >= 3 else { return isLast && !bytes.isEmpty ? .garbage(bytes.count) : .incomplete }
        // control_header_prefix 0x3FF in 11 bits, start and end trim, extension, 2 reserved bits.
        guard bytes[0] == 0x7F, bytes[1] & 0xE0 == 0xE0 else {
            var offset = 1
            while offset + 1 < bytes.count, bytes[offset] != 0x7F || bytes[offset + 1] & 0xE0 != 0xE0 { offset += 1 }
            return .garbage(isLast && offset + 1 >= bytes.count ? bytes.count : offset)
        }
        guard let (header, size) = control(bytes), header + size <= bytes.count else {
            return isLast ? .garbage(bytes.count) : .incomplete
        }
        let packet = UnsafeRawBufferPointer(rebasing: bytes[header..<header + size])
        prefixLength = header
        duration = FrameDuration(samples: OpusPacket.samples(packet), rate: 48000)
        if format == nil { setFormat(OpusChannels(configuration: channelConfiguration).format) }
        return .frame(header + size)
    }

    /// Returns the lengths of the control header and the packet, or nil if the header isn't complete.
    private func control(_ bytes: UnsafeRawBufferPointer) -> (header: Int, size: Int)? {
        var reader = ByteReader(bytes)
        guard (try? reader.skip(1)) != nil, let flags = try? reader.uint8() else { return nil }
        var size = 0
        while true {
            guard let byte = try? reader.uint8() else { return nil }
            size += Int(byte)
            if byte != 255 { break }
        }
        if flags & 0x10 != 0, (try? reader.skip(2)) == nil { return nil }
        if flags & 0x08 != 0, (try? reader.skip(2)) == nil { return nil }
        if flags & 0x04 != 0 {
            guard let length = try? reader.uint8(), (try? reader.skip(Int(length))) != nil else { return nil }
        }
        return (reader.position, size)
    }
}

/// The table of contents of an Opus packet (RFC 6716, 3.1).
enum OpusPacket {
    /// Returns the number of samples at 48 kHz in a packet, or 0 for an invalid packet.
    static func samples(_ packet: UnsafeRawBufferPointer) -> Int64 {
        guard let contents = packet.first else { return 0 }
        let configuration = Int(contents >> 3)
        let frame: Int64 =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration & 3]
            case 12..<16: [480, 960][configuration & 1]
            default: [120, 240, 480, 960][configuration & 3]
            }
        switch contents & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default: return packet.count > 1 ? frame * Int64(packet[1] & 0x3F) : 0
        }
    }
}

/// The channels of a `channel_config_code`, and the corresponding `dOps` ("Encapsulation of Opus in ISO Base Media File
/// Format", 4.3.2; RFC 7845, 5.1.1).
struct OpusChannels {
    /// The number of channels: codes 1 to 8 in Vorbis order; other codes are treated as stereo.
    var count: Int

    init(configuration: UInt8) {
        count = (1...8).contains(configuration) ? Int(configuration) : 2
    }

    var format: MediaFormat {
        MediaFormat(
            codec: .opus, codecString: "opus", configuration: configuration, sampleEntry: "Opus", sampleRate: 48000,
            channels: count)
    }

    private var configuration: [UInt8] {
        // Version, channels, pre-skip 0 (a transport stream has none), input rate 48,000, gain 0.
        var bytes: [UInt8] = [0, UInt8(count), 0, 0, 0, 0, 0xBB, 0x80, 0, 0]
        guard count > 2 else { return bytes + [0] }
        bytes += [1, Self.streams[count - 1], Self.coupled[count - 1]]
        return bytes + Self.mappings[count - 1]
    }

    private static let streams: [UInt8] = [1, 1, 2, 2, 3, 4, 4, 5]
    private static let coupled: [UInt8] = [0, 1, 1, 2, 2, 2, 3, 3]
    private static let mappings: [[UInt8]] = [
        [0], [0, 1], [0, 2, 1], [0, 1, 2, 3], [0, 4, 1, 2, 3], [0, 4, 1, 2, 3, 5], [0, 4, 1, 2, 3, 5, 6],
        [0, 6, 1, 2, 3, 4, 5, 7],
    ]
}
