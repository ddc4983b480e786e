/// A parser that splits an HEVC byte stream into access units (ISO/IEC 23008-2, 7.4.2.4.4 and annex B).
final class HEVCAccessUnitParser: AccessUnitParser {
    private var videoSets = ParameterSets()
    private var sequenceSets = ParameterSets()
    private var pictureSets = ParameterSets()

    /// The NAL unit header, and the byte with `first_slice_segment_in_pic_flag`.
    override static var headerLength: Int { 3 }

    override func accept(_ bytes: UnsafeRawBufferPointer, at header: Int) -> Bool {
        let type = Self.type(bytes[header])
        let layer = Int(bytes[header] & 1) << 5 | Int(bytes[header + 1] >> 3)
        guard layer == 0 else { return true }
        guard Self.isSlice(type) else { return !hasSlice || !Self.beginsAccessUnit(type) }
        let isFirstInPicture = bytes[header + 2] & 0x80 != 0
        if hasSlice, isFirstInPicture { return false }
        hasSlice = true
        // IRAP pictures: BLA, IDR and CRA.
        if (16...23).contains(type) { foundSync = true }
        return true
    }

    private static func type(_ header: UInt8) -> UInt8 { header >> 1 & 0x3F }

    private static func isSlice(_ type: UInt8) -> Bool { type <= 9 || (16...21).contains(type) }

    /// Returns whether NAL units of a type can precede the first slice of a picture. End of sequence (36) and end of
    /// bitstream (37) follow the slices.
    private static func beginsAccessUnit(_ type: UInt8) -> Bool {
        (32...35).contains(type) || type == 39 || (41...44).contains(type) || (48...55).contains(type)
    }

    override func needsContent(_ header: UInt8) -> Bool { (32...34).contains(Self.type(header)) }

    override func readUnit(_ unit: UnsafeRawBufferPointer) {
        var reader = BitReader(unit, emulationPrevention: true)
        guard let type = unit.first.map(Self.type), unit.count <= ParameterSets.longest,
            (try? reader.skip(16)) != nil
        else { return }
        switch type {
        case 32:
            guard let id = try? reader.bits(4) else { return }
            if videoSets.update(unit, id: Int(id)) { setsChanged = true }
        case 33:
            guard let set = try? HEVCSequenceParameterSet(unit) else { return }
            if sequenceSets.update(unit, id: set.id) { setsChanged = true }
        default:
            guard let id = try? reader.unsigned("pps_pic_parameter_set_id", 63) else { return }
            if pictureSets.update(unit, id: id) { setsChanged = true }
        }
    }

    override func updateFormat() {
        guard !pictureSets.isEmpty, let first = sequenceSets.units.first,
            let set = first.withUnsafeBytes({ try? HEVCSequenceParameterSet($0) })
        else { return }
        var configuration = HEVCConfiguration(set)
        // `hvc1` requires array_completeness: parameter sets are removed from samples that are stored in MP4.
        configuration.arrays = [(32, videoSets), (33, sequenceSets), (34, pictureSets)].map {
            HEVCConfiguration.ParameterSets(isComplete: true, nalUnitType: $0, units: $1.units)
        }.filter { !$0.units.isEmpty }
        guard let record = try? configuration.record() else { return }
        setsChanged = false
        frameRate = set.frameRate
        var format = MediaFormat(
            codec: .hevc, codecString: configuration.codecString(), configuration: record, sampleEntry: "hvc1",
            width: set.width, height: set.height, framing: .startCodes)
        format.videoBoxes = set.pixelAspect?.box ?? []
        setFormat(format)
    }
}
