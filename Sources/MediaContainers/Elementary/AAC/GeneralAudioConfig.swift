/// The GASpecificConfig behind an AudioSpecificConfig of AAC (ISO/IEC 14496-3, 4.4.1): read to find its end, and what
/// a channel configuration of 0 leaves open.
struct GeneralAudioConfig: Equatable {
    /// Samples in a frame of the core: 1024, or 960.
    var frameLength = 1024
    /// Channels of the programme config element, 0 where there is none.
    var programChannels = 0

    /// Reads on where `configuration` ended.
    ///
    /// - Throws: ``ContainerError`` `truncated`, or `unsupported` for what isn't AAC.
    init(_ reader: inout BitReader, after configuration: AudioSpecificConfig) throws(ContainerError) {
        var type = configuration.objectType
        // With SBR or PS in front, the core's own type follows.
        if type == 5 || type == 29 { type = Int(try reader.bits(5)) }
        guard [1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23].contains(type) else {
            throw ContainerError(.unsupported, "AudioSpecificConfig: object type \(type)", at: reader.offset)
        }
        if try reader.flag() { frameLength = 960 }
        if try reader.flag() { try reader.skip(14) }
        let hasExtension = try reader.flag()
        if configuration.channelConfiguration == 0 { programChannels = try Self.programConfiguration(&reader) }
        if type == 6 || type == 20 { try reader.skip(3) }
        guard hasExtension else { return }
        if type == 22 { try reader.skip(16) }
        if [17, 19, 20, 23].contains(type) { try reader.skip(3) }
        try reader.skip(1)
    }

    /// A programme config element (4.4.1.1).
    ///
    /// - Returns: Its channels.
    private static func programConfiguration(_ reader: inout BitReader) throws(ContainerError) -> Int {
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
        try reader.align()
        try reader.skip(8 * Int(try reader.bits(8)))
        return channels
    }
}
