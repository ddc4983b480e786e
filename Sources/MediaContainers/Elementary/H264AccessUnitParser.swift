/// A parser that splits an H.264 byte stream into access units (ISO/IEC 14496-10, 7.4.1.2.3 and annex B).
final class H264AccessUnitParser: AccessUnitParser {
    /// A number of bytes that's large enough for the slice header fields read here, including emulation prevention.
    private static let sliceHeaderBytes = 24

    private var lastFirstMacroblock = -1
    private var slice: H264SliceHeader?

    private var sequenceSets = ParameterSets()
    private var pictureSets = ParameterSets()
    private var sequences: [Int: H264SequenceParameterSet] = [:]
    private var sequenceOfPictureSet: [Int: Int] = [:]

    /// Requires the first fields of a slice header, which determine whether the slice begins an access unit.
    override func needsMore(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool {
        Self.isSlice(Self.type(bytes[header])) && header + Self.sliceHeaderBytes > bytes.count
    }

    override func accept(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool {
        let type = Self.type(bytes[header])
        guard Self.isSlice(type) else { return !hasSlice || !(6...9).contains(type) }
        let end = min(bytes.count, header + Self.sliceHeaderBytes)
        let found = try? H264SliceHeader(UnsafeRawBufferPointer(rebasing: bytes[header..<end])) {
            self.sequenceOfPictureSet[$0].flatMap { self.sequences[$0] }
        }
        let first = found?.firstMacroblock ?? 0
        if hasSlice, first <= lastFirstMacroblock { return false }
        lastFirstMacroblock = first
        hasSlice = true
        if slice == nil { slice = found }
        if type == 5 { foundSync = true }
        return true
    }

    override func willFinish() {
        isField = slice?.isField ?? false
    }

    override func reset() {
        super.reset()
        lastFirstMacroblock = -1
        slice = nil
    }

    private static func type(_ header: UInt8) -> UInt8 { header & 0x1F }

    private static func isSlice(_ type: UInt8) -> Bool { type == 1 || type == 2 || type == 5 }

    override func needsContent(_ header: UInt8) -> Bool { (6...8).contains(Self.type(header)) }

    override func readUnit(_ unit: UnsafeRawBufferPointer) {
        guard let type = unit.first.map(Self.type), type == 6 || unit.count <= ParameterSets.longest else { return }
        switch type {
        case 7: storeSequenceSet(unit)
        case 8: storePictureSet(unit)
        default: if H264RecoveryPoint.isIn(unit) { foundSync = true }
        }
    }

    private func storeSequenceSet(_ unit: UnsafeRawBufferPointer) {
        guard let set = try? H264SequenceParameterSet(unit) else { return }
        guard sequenceSets.update(unit, id: set.id) else { return }
        sequences[set.id] = set
        setsChanged = true
    }

    private func storePictureSet(_ unit: UnsafeRawBufferPointer) {
        var reader = BitReader(unit, emulationPrevention: true)
        guard (try? reader.skip(8)) != nil, let id = try? reader.unsigned("pic_parameter_set_id", 255),
            let sequence = try? reader.unsigned("seq_parameter_set_id", 31)
        else { return }
        guard pictureSets.update(unit, id: id) else { return }
        sequenceOfPictureSet[id] = sequence
        setsChanged = true
    }

    override func updateFormat() {
        let active = slice.flatMap { sequenceOfPictureSet[$0.pictureParameterSet] }.flatMap { sequences[$0] }
        guard let sequence = active ?? sequences.values.first else { return }
        guard !pictureSets.isEmpty,
            let configuration = try? AVCConfiguration(
                sequenceParameterSets: sequenceSets.units, pictureParameterSets: pictureSets.units,
                trailer: sequence.recordTrailer)
        else { return }
        setsChanged = false
        frameRate = sequence.frameRate
        var format = MediaFormat(
            codec: .avc, codecString: configuration.codecString(), configuration: configuration.record,
            sampleEntry: "avc1", width: sequence.width, height: sequence.height, framing: .startCodes)
        format.videoBoxes = sequence.pixelAspect?.box ?? []
        setFormat(format)
    }
}

/// The first fields of an H.264 slice header (ISO/IEC 14496-10, 7.3.3).
struct H264SliceHeader {
    var firstMacroblock: Int
    var pictureParameterSet: Int
    var isField = false

    /// Reads a NAL unit of type 1, 2 or 5, including its header byte. `sequence` defines the sizes of the later fields.
    init(
        _ unit: UnsafeRawBufferPointer, sequence: (_ pictureParameterSet: Int) -> H264SequenceParameterSet?
    ) throws(ContainerError) {
        var reader = BitReader(unit, emulationPrevention: true)
        try reader.skip(8)
        firstMacroblock = try reader.unsigned("first_mb_in_slice", 1 << 20)
        _ = try reader.unsigned("slice_type", 9)
        pictureParameterSet = try reader.unsigned("pic_parameter_set_id", 255)
        guard let sequence = sequence(pictureParameterSet) else { return }
        if sequence.hasSeparateColorPlanes { try reader.skip(2) }
        try reader.skip(sequence.frameNumberBits)
        guard !sequence.hasFramesOnly else { return }
        isField = try reader.flag()
    }
}

/// The recovery point SEI message of H.264, which allows decoding to start at a picture that isn't IDR (ISO/IEC
/// 14496-10, D.1.8).
enum H264RecoveryPoint {
    /// Returns whether a NAL unit of type 6, including its header byte, contains a recovery point.
    static func isIn(_ unit: UnsafeRawBufferPointer) -> Bool {
        var reader = BitReader(unit, emulationPrevention: true)
        guard (try? reader.skip(8)) != nil else { return false }
        while reader.remaining > 16 {
            guard let type = try? reader.sumOfBytes(), let size = try? reader.sumOfBytes() else { return false }
            if type == 6 { return true }
            guard size * 8 <= reader.remaining, (try? reader.skip(size * 8)) != nil else { return false }
        }
        return false
    }
}
