/// Splits an HEVC byte stream into access units (ISO/IEC 23008-2, 7.4.2.4.4 and annex B).
final class HEVCAccessUnitParser: FrameParser {
    private var scanned = 0
    /// The NAL unit whose end isn't found yet, and where it begins.
    private var openUnit: (type: UInt8, start: Int)?
    private var hasSlice = false
    private var foundSync = false
    private var videoSets = ParameterSets()
    private var sequenceSets = ParameterSets()
    private var pictureSets = ParameterSets()
    private var setsChanged = false

    override func scan(_ bytes: UnsafeRawBufferPointer, isLast: Bool) -> Scan {
        while let start = StartCode.first(in: bytes, from: scanned, to: bytes.count) {
            let header = start + StartCode.length
            guard header + 2 < bytes.count else { break }
            let type = bytes[header] >> 1 & 0x3F
            let layer = Int(bytes[header] & 1) << 5 | Int(bytes[header + 1] >> 3)
            let boundary = start > 0 && bytes[start - 1] == 0 ? start - 1 : start
            if openUnit == nil, !hasSlice, boundary > 0 {
                scanned = 0
                return .garbage(boundary)
            }
            closeUnit(bytes, end: start)
            if layer == 0 {
                if Self.isSlice(type) {
                    let isFirstInPicture = bytes[header + 2] & 0x80 != 0
                    if hasSlice, isFirstInPicture { return finish(boundary) }
                    hasSlice = true
                    // IRAP: BLA, IDR, CRA.
                    if (16...23).contains(type) { foundSync = true }
                } else if hasSlice, Self.beginsAccessUnit(type) {
                    return finish(boundary)
                }
            }
            openUnit = (type, header)
            scanned = header
        }
        guard isLast else {
            scanned = max(scanned, bytes.count - 5)
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
        foundSync = false
    }

    private static func isSlice(_ type: UInt8) -> Bool { type <= 9 || (16...21).contains(type) }

    /// Of the types that come before a picture's first slice; end of sequence (36) and of bitstream (37) come after.
    private static func beginsAccessUnit(_ type: UInt8) -> Bool {
        (32...35).contains(type) || type == 39 || (41...44).contains(type) || (48...55).contains(type)
    }

    private func finish(_ length: Int) -> Scan {
        isSync = foundSync
        if setsChanged { updateFormat() }
        reset()
        return .frame(length)
    }

    private func closeUnit(_ bytes: UnsafeRawBufferPointer, end: Int) {
        guard let (type, start) = openUnit else { return }
        openUnit = nil
        guard (32...34).contains(type) else { return }
        var end = end
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        let unit = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        var reader = BitReader(unit, emulationPrevention: true)
        guard unit.count <= ParameterSets.longest, (try? reader.skip(16)) != nil else { return }
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

    private func updateFormat() {
        guard !pictureSets.isEmpty, let first = sequenceSets.units.first,
            let set = first.withUnsafeBytes({ try? HEVCSequenceParameterSet($0) })
        else { return }
        var configuration = HEVCConfiguration(set)
        // array_completeness, as `hvc1` wants it: samples lose the sets when they are stored in MP4.
        configuration.arrays = [(32, videoSets), (33, sequenceSets), (34, pictureSets)].map {
            HEVCConfiguration.ParameterSets(isComplete: true, nalUnitType: $0, units: $1.units)
        }.filter { !$0.units.isEmpty }
        guard let record = try? configuration.record() else { return }
        setsChanged = false
        frameRate = set.frameRate
        var format = MediaFormat(
            codec: .hevc, codecString: configuration.codecString(), configuration: record, sampleEntry: "hvc1",
            width: set.width, height: set.height, framing: .startCodes)
        format.pictureBoxes = set.pixelAspect?.box ?? []
        setFormat(format)
    }
}
