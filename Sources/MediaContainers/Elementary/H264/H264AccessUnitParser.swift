/// Splits an H.264 byte stream into access units (ISO/IEC 14496-10, 7.4.1.2.3 and annex B).
final class H264AccessUnitParser: FrameParser {
    /// A slice header's fields that are needed lie in its first bytes, emulation prevention included.
    private static let sliceHeaderBytes = 24

    private var scanned = 0
    /// The NAL unit whose end isn't found yet, and where it begins.
    private var openUnit: (type: UInt8, start: Int)?
    private var hasSlice = false
    private var lastFirstMacroblock = -1
    private var foundSync = false
    private var slice: H264SliceHeader?

    private var sequenceSets = ParameterSets()
    private var pictureSets = ParameterSets()
    private var sequences: [Int: H264SequenceParameterSet] = [:]
    private var sequenceOfPictureSet: [Int: Int] = [:]
    private var setsChanged = false

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        while let start = StartCode.first(in: bytes, from: scanned, to: bytes.count) {
            let header = start + StartCode.length
            guard header < bytes.count else { break }
            let type = bytes[header] & 0x1F
            let isSlice = type == 1 || type == 2 || type == 5
            // A slice's place in the picture tells whether it begins one: wait until it is here.
            if isSlice, !isLast, header + Self.sliceHeaderBytes > bytes.count {
                scanned = start
                return .incomplete
            }
            let boundary = start > 0 && bytes[start - 1] == 0 ? start - 1 : start
            if openUnit == nil, !hasSlice, boundary > 0 {
                scanned = 0
                return .garbage(boundary)
            }
            closeUnit(bytes, end: start)
            if isSlice {
                let end = min(bytes.count, header + Self.sliceHeaderBytes)
                let found = try? H264SliceHeader(UnsafeRawBufferPointer(rebasing: bytes[header..<end])) {
                    self.sequenceOfPictureSet[$0].flatMap { self.sequences[$0] }
                }
                let first = found?.firstMacroblock ?? 0
                if hasSlice, first <= lastFirstMacroblock { return finish(boundary) }
                lastFirstMacroblock = first
                hasSlice = true
                if slice == nil { slice = found }
                if type == 5 { foundSync = true }
            } else if hasSlice, (6...9).contains(type) {
                return finish(boundary)
            }
            openUnit = (type, header)
            scanned = header
        }
        guard isLast else {
            scanned = max(scanned, bytes.count - 3)
            return .incomplete
        }
        closeUnit(bytes, end: bytes.count)
        guard hasSlice else {
            reset()
            return bytes.isEmpty ? .incomplete : .garbage(bytes.count)
        }
        return finish(bytes.count)
    }

    override func reset() {
        scanned = 0
        openUnit = nil
        hasSlice = false
        lastFirstMacroblock = -1
        foundSync = false
        slice = nil
    }

    private func finish(_ length: Int) -> Scan {
        isSync = foundSync
        isField = slice?.isField ?? false
        if setsChanged { updateFormat() }
        reset()
        return .frame(length)
    }

    // MARK: - Parameter sets and recovery points

    private func closeUnit(_ bytes: UnsafeRawBufferPointer, end: Int) {
        guard let (type, start) = openUnit else { return }
        openUnit = nil
        guard type == 7 || type == 8 || type == 6 else { return }
        var end = end
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        let unit = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard type == 6 || unit.count <= ParameterSets.longest else { return }
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

    private func updateFormat() {
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
