/// Splits an H.264 byte stream into access units (ISO/IEC 14496-10, 7.4.1.2.3 and annex B).
final class H264AccessUnitParser: AccessUnitParser {
    /// A slice header's fields that are needed lie in its first bytes, emulation prevention included.
    private static let sliceHeaderBytes = 24

    private var lastFirstMacroblock = -1
    private var slice: H264SliceHeader?

    private var sequenceSets = ParameterSets()
    private var pictureSets = ParameterSets()
    private var sequences: [Int: H264SequenceParameterSet] = [:]
    private var sequenceOfPictureSet: [Int: Int] = [:]

    /// A slice's place in the picture tells whether it begins one.
    override func needsMore(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool {
        Self.isSlice(Self.type(bytes[header])) && header + Self.sliceHeaderBytes > bytes.count
    }

    override func take(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool {
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

    // MARK: - Parameter sets and recovery points

    override func isKept(_ header: UInt8) -> Bool { (6...8).contains(Self.type(header)) }

    override func keep(_ unit: UnsafeRawBufferPointer) {
        guard let type = unit.first.map(Self.type), type == 6 || unit.count <= ParameterSets.longest else { return }
        switch type {
        case 7: keepSequenceSet(unit)
        case 8: keepPictureSet(unit)
        default: if H264RecoveryPoint.isIn(unit) { foundSync = true }
        }
    }

    private func keepSequenceSet(_ unit: UnsafeRawBufferPointer) {
        guard let set = try? H264SequenceParameterSet(unit) else { return }
        guard sequenceSets.update(unit, id: set.id) else { return }
        sequences[set.id] = set
        setsChanged = true
    }

    private func keepPictureSet(_ unit: UnsafeRawBufferPointer) {
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
        format.pictureBoxes = sequence.pixelAspect?.box ?? []
        setFormat(format)
    }
}
