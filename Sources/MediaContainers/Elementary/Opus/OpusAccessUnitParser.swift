/// Splits Opus in a transport stream: each packet comes behind a control header that tells its size (ETSI TS 101 154,
/// "Encapsulation of Opus in MPEG-TS").
final class OpusAccessUnitParser: FrameParser {
    private let channelConfiguration: UInt8
    private var hasFormat = false

    /// - Parameter channelConfiguration: `channel_config_code` of the stream's descriptor: channels in Vorbis's order.
    init(channelConfiguration: UInt8) { self.channelConfiguration = channelConfiguration }

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        guard bytes.count >= 3 else { return isLast && !bytes.isEmpty ? .garbage(bytes.count) : .incomplete }
        // control_header_prefix 0x3FF in 11 bits, start and end trim, extension, 2 reserved bits.
        guard bytes[0] == 0x7F, bytes[1] & 0xE0 == 0xE0 else {
            var place = 1
            while place + 1 < bytes.count, bytes[place] != 0x7F || bytes[place + 1] & 0xE0 != 0xE0 { place += 1 }
            return .garbage(isLast && place + 1 >= bytes.count ? bytes.count : place)
        }
        guard let (header, size) = control(bytes), header + size <= bytes.count else {
            return isLast ? .garbage(bytes.count) : .incomplete
        }
        let packet = UnsafeRawBufferPointer(rebasing: bytes[header..<header + size])
        prefixLength = header
        duration = FrameDuration(samples: OpusPacket.samples(packet), rate: 48000)
        if !hasFormat {
            hasFormat = true
            setFormat(OpusChannels(configuration: channelConfiguration).format)
        }
        return .frame(header + size)
    }

    /// The control header's length and the packet's, or nil if the header isn't all here.
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
