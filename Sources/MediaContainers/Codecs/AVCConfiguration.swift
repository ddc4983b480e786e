/// An AVCDecoderConfigurationRecord, the content of `avcC` (ISO/IEC 14496-15, 5.3.3.1).
public struct AVCConfiguration: Sendable, Hashable {
    /// AVCProfileIndication: `profile_idc` of the sequence parameter set.
    public var profile: UInt8
    /// The `constraint_set` flags.
    public var compatibility: UInt8
    /// AVCLevelIndication: `level_idc`.
    public var level: UInt8
    /// The size in bytes of the length field before each NAL unit in a sample: 1 to 4. The standard excludes 3.
    public var lengthSize: Int
    /// The sequence parameter sets as NAL units.
    public var sequenceParameterSets: [[UInt8]]
    /// The picture parameter sets as NAL units.
    public var pictureParameterSets: [[UInt8]]
    /// The raw bytes after the parameter sets in High profiles (chroma format, bit depths, SPS extensions).
    public var trailer: [UInt8]

    /// Creates a record. Reads profile, compatibility and level from the first sequence parameter set. Throws when that
    /// set is missing or too short, or when the record can't hold the sets: over 31 sequence parameter sets, 255
    /// picture parameter sets, or 65,535 bytes in a set.
    public init(
        sequenceParameterSets: [[UInt8]], pictureParameterSets: [[UInt8]], lengthSize: Int = 4, trailer: [UInt8] = []
    ) throws(ContainerError) {
        guard let first = sequenceParameterSets.first, first.count >= 4 else {
            throw ContainerError(.malformed, "avcC: no sequence parameter set")
        }
        let sets = sequenceParameterSets + pictureParameterSets
        guard sequenceParameterSets.count <= 31, pictureParameterSets.count <= 255,
            sets.allSatisfy({ $0.count <= Int(UInt16.max) })
        else { throw ContainerError(.unrepresentable, "avcC: over 31 SPS, 255 PPS or 65,535 bytes in a set") }
        profile = first[1]
        compatibility = first[2]
        level = first[3]
        self.lengthSize = lengthSize
        self.sequenceParameterSets = sequenceParameterSets
        self.pictureParameterSets = pictureParameterSets
        self.trailer = trailer
    }

    /// Reads a record. Throws when the record ends early or its version isn't 1.
    public init(record: [UInt8]) throws(ContainerError) {
        self = try record.withReader { (reader) throws(ContainerError) in try AVCConfiguration(&reader) }
    }

    private init(_ reader: inout ByteReader) throws(ContainerError) {
        let version = try reader.uint8()
        guard version == 1 else {
            throw ContainerError(.unsupported, "avcC: unsupported version \(version)", at: reader.origin)
        }
        profile = try reader.uint8()
        compatibility = try reader.uint8()
        level = try reader.uint8()
        lengthSize = Int(try reader.uint8() & 3) + 1
        sequenceParameterSets = []
        for _ in 0..<(try reader.uint8() & 31) {
            let count = Int(try reader.uint16())
            sequenceParameterSets.append([UInt8](copying: try reader.take(count)))
        }
        pictureParameterSets = []
        for _ in 0..<(try reader.uint8()) {
            let count = Int(try reader.uint16())
            pictureParameterSets.append([UInt8](copying: try reader.take(count)))
        }
        trailer = [UInt8](copying: reader.takeRest())
    }

    /// The record's bytes.
    public var record: [UInt8] {
        var bytes: [UInt8] = [1, profile, compatibility, level, 0xFC | UInt8(truncatingIfNeeded: lengthSize - 1)]
        bytes.append(0xE0 | UInt8(truncatingIfNeeded: sequenceParameterSets.count))
        for set in sequenceParameterSets {
            bytes.appendBigEndian(UInt16(truncatingIfNeeded: set.count))
            bytes += set
        }
        bytes.append(UInt8(truncatingIfNeeded: pictureParameterSets.count))
        for set in pictureParameterSets {
            bytes.appendBigEndian(UInt16(truncatingIfNeeded: set.count))
            bytes += set
        }
        return bytes + trailer
    }

    /// Returns the codec string of RFC 6381, 3.3: the sample entry, then profile, constraints and level in hexadecimal.
    public func codecString(sampleEntry: FourCC = "avc1") -> String {
        "\(sampleEntry)." + Hexadecimal.byte(profile) + Hexadecimal.byte(compatibility) + Hexadecimal.byte(level)
    }
}
