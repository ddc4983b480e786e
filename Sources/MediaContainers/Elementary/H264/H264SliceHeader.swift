/// The front of a slice header of H.264 (ISO/IEC 14496-10, 7.3.3).
struct H264SliceHeader {
    var firstMacroblock: Int
    /// `slice_type` modulo 5: 0 P, 1 B, 2 I, 3 SP, 4 SI.
    var type: Int
    var pictureParameterSet: Int
    var isField = false

    /// Reads a NAL unit of type 1, 2 or 5 with its header byte; `sequence` gives the sizes of the later fields.
    init(
        _ unit: UnsafeRawBufferPointer, sequence: (_ pictureParameterSet: Int) -> H264SequenceParameterSet?
    ) throws(ContainerError) {
        var reader = BitReader(unit, emulationPrevention: true)
        try reader.skip(8)
        firstMacroblock = try reader.unsigned("first_mb_in_slice", 1 << 20)
        type = try reader.unsigned("slice_type", 9) % 5
        pictureParameterSet = try reader.unsigned("pic_parameter_set_id", 255)
        guard let sequence = sequence(pictureParameterSet) else { return }
        if sequence.hasSeparateColourPlanes { try reader.skip(2) }
        try reader.skip(sequence.frameNumberBits)
        guard !sequence.hasFramesOnly else { return }
        isField = try reader.flag()
    }
}
