/// Takes the AAC frames out of AudioSyncStream frames (ISO/IEC 14496-3, 1.7.3), for a container that stores them bare.
struct LOASPayload {
    private var multiplex: StreamMuxConfig?

    /// Appends the frame's AAC payloads to `target`, one after the other.
    ///
    /// - Returns: The payloads' lengths.
    /// - Throws: ``ContainerError`` `malformed` or `truncated`; `unsupported` for several layers.
    mutating func append(
        _ frame: UnsafeRawBufferPointer, to target: inout [UInt8]
    ) throws(ContainerError) -> [Int] {
        guard frame.count > 3 else { throw ContainerError(.truncated, "LOAS: a frame without content") }
        let element = UnsafeRawBufferPointer(rebasing: frame[3...])
        var reader = BitReader(element)
        if try !reader.flag() { multiplex = try StreamMuxConfig(&reader, bytes: element) }
        guard let multiplex else { throw ContainerError(.malformed, "LATM: a frame before its StreamMuxConfig") }
        var lengths: [Int] = []
        for _ in 0..<multiplex.subframes {
            var length = 0
            while true {
                let byte = Int(try reader.bits(8))
                length += byte
                if byte != 255 { break }
            }
            guard length * 8 <= reader.remaining else {
                throw ContainerError(.truncated, "LATM: a payload of \(length) bytes, \(reader.remaining / 8) left")
            }
            BitCopy.append(element, from: element.count * 8 - reader.remaining, count: length * 8, to: &target)
            try reader.skip(length * 8)
            lengths.append(length)
        }
        return lengths
    }
}
