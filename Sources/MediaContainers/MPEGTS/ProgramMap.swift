/// A programme map: the elementary streams of a programme (ISO/IEC 13818-1, 2.4.4.8).
struct ProgramMap: Equatable {
    /// One elementary stream.
    struct Stream: Equatable {
        var pid: Int
        var type: StreamType
        /// ISO 639-2, from the language descriptor (2.6.18).
        var language: String?
        /// Channels by the Opus descriptor (ETSI TS 101 154 extension `0x7F 0x80`), 0 where there is none.
        var opusChannelConfiguration: UInt8?
    }

    var version: Int
    var programNumber: Int
    var clockPID: Int
    var streams: [Stream] = []

    /// Reads a section without its checksum; nil if it is another table, or one that isn't valid yet.
    init?(_ section: UnsafeRawBufferPointer) throws(ContainerError) {
        var reader = ByteReader(section)
        guard try reader.uint8() == 0x02 else { return nil }
        try reader.skip(2)
        programNumber = Int(try reader.uint16())
        let state = try reader.uint8()
        guard state & 1 != 0 else { return nil }
        version = Int(state >> 1 & 0x1F)
        try reader.skip(2)
        clockPID = Int(try reader.uint16() & 0x1FFF)
        let programDescriptors = StreamDescriptors(try reader.sub(Int(try reader.uint16() & 0x0FFF)))
        while reader.remaining >= 5 {
            let rawType = try reader.uint8()
            let pid = Int(try reader.uint16() & 0x1FFF)
            let length = Int(try reader.uint16() & 0x0FFF)
            // A length past the section's end is cut there: the stream itself was read.
            let descriptors = StreamDescriptors(try reader.sub(min(length, reader.remaining)))
            let registration = descriptors.registration ?? programDescriptors.registration
            streams.append(
                Stream(
                    pid: pid, type: StreamType(rawType, descriptors: descriptors, registration: registration),
                    language: descriptors.language,
                    opusChannelConfiguration: descriptors.opusChannelConfiguration))
        }
    }
}
