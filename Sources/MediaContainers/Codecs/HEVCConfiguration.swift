/// An HEVCDecoderConfigurationRecord, the content of `hvcC` (ISO/IEC 14496-15, 8.3.3.1).
public struct HEVCConfiguration: Sendable, Hashable {
    /// The NAL units of one type, in the order of the record.
    public struct ParameterSets: Sendable, Hashable {
        /// Whether samples contain no further NAL units of this type (`array_completeness`).
        public var isComplete: Bool
        /// The NAL unit type: 32 (VPS), 33 (SPS), 34 (PPS), 39 or 40 (SEI).
        public var nalUnitType: UInt8
        /// The NAL units.
        public var units: [[UInt8]]

        /// Creates an array of NAL units of one type.
        public init(isComplete: Bool, nalUnitType: UInt8, units: [[UInt8]]) {
            self.isComplete = isComplete
            self.nalUnitType = nalUnitType
            self.units = units
        }
    }

    /// `general_profile_space`, 0 to 3.
    public var profileSpace: UInt8 = 0
    /// `general_tier_flag`: whether the tier is High.
    public var isHighTier = false
    /// `general_profile_idc`, 0 to 31.
    public var profile: UInt8 = 0
    /// `general_profile_compatibility_flags`.
    public var compatibility: UInt32 = 0
    /// `general_constraint_indicator_flags`, 48 bits.
    public var constraints: UInt64 = 0
    /// `general_level_idc`: 30 times the level.
    public var level: UInt8 = 0
    /// `min_spatial_segmentation_idc`, 12 bits.
    public var minimumSpatialSegmentation: UInt16 = 0
    /// `parallelismType`, 0 to 3.
    public var parallelism: UInt8 = 0
    /// `chroma_format_idc`, 0 to 3.
    public var chromaFormat: UInt8 = 1
    /// Bits per luma sample.
    public var lumaBitDepth: Int = 8
    /// Bits per chroma sample.
    public var chromaBitDepth: Int = 8
    /// The average frame rate in frames per 256 seconds; 0 if unspecified.
    public var averageFrameRate: UInt16 = 0
    /// `constantFrameRate`, 0 to 3.
    public var constantFrameRate: UInt8 = 0
    /// `numTemporalLayers`, 0 to 7.
    public var temporalLayers: UInt8 = 1
    /// Whether temporal nesting applies (`temporalIdNested`).
    public var isTemporalIDNested = false
    /// The size in bytes of the length field before each NAL unit in a sample: 1 to 4. The standard excludes 3.
    public var lengthSize: Int = 4
    /// The arrays of parameter sets and SEI messages.
    public var arrays: [ParameterSets] = []

    /// Creates a record with default values and without parameter sets.
    public init() {}

    /// Reads a record. Throws when the record ends early or its version isn't 1.
    public init(record: [UInt8]) throws(ContainerError) {
        self = try record.withReader { (reader) throws(ContainerError) in try HEVCConfiguration(&reader) }
    }

    private init(_ reader: inout ByteReader) throws(ContainerError) {
        let version = try reader.uint8()
        guard version == 1 else {
            throw ContainerError(.unsupported, "hvcC: unsupported version \(version)", at: reader.origin)
        }
        let general = try reader.uint8()
        profileSpace = general >> 6
        isHighTier = general & 0x20 != 0
        profile = general & 0x1F
        compatibility = try reader.uint32()
        constraints = UInt64(try reader.uint16()) << 32
        constraints |= UInt64(try reader.uint32())
        level = try reader.uint8()
        minimumSpatialSegmentation = try reader.uint16() & 0xFFF
        parallelism = try reader.uint8() & 3
        chromaFormat = try reader.uint8() & 3
        lumaBitDepth = Int(try reader.uint8() & 7) + 8
        chromaBitDepth = Int(try reader.uint8() & 7) + 8
        averageFrameRate = try reader.uint16()
        let last = try reader.uint8()
        constantFrameRate = last >> 6
        temporalLayers = last >> 3 & 7
        isTemporalIDNested = last & 4 != 0
        lengthSize = Int(last & 3) + 1
        for _ in 0..<(try reader.uint8()) {
            let head = try reader.uint8()
            var units: [[UInt8]] = []
            for _ in 0..<(try reader.uint16()) {
                let count = Int(try reader.uint16())
                units.append([UInt8](copying: try reader.take(count)))
            }
            arrays.append(ParameterSets(isComplete: head & 0x80 != 0, nalUnitType: head & 0x3F, units: units))
        }
    }

    /// Returns the bytes of the record. Throws `unrepresentable` when a parameter set exceeds 65,535 bytes.
    public func record() throws(ContainerError) -> [UInt8] {
        var bytes: [UInt8] = [1, profileSpace << 6 | (isHighTier ? 0x20 : 0) | profile]
        bytes.appendBigEndian(compatibility)
        bytes.appendBigEndian(UInt16(truncatingIfNeeded: constraints >> 32))
        bytes.appendBigEndian(UInt32(truncatingIfNeeded: constraints))
        bytes.append(level)
        bytes.appendBigEndian(0xF000 | minimumSpatialSegmentation)
        bytes += [0xFC | parallelism, 0xFC | chromaFormat]
        bytes.append(0xF8 | UInt8(truncatingIfNeeded: lumaBitDepth - 8))
        bytes.append(0xF8 | UInt8(truncatingIfNeeded: chromaBitDepth - 8))
        bytes.appendBigEndian(averageFrameRate)
        let lengths = UInt8(truncatingIfNeeded: lengthSize - 1) & 3
        bytes.append(constantFrameRate << 6 | temporalLayers << 3 | (isTemporalIDNested ? 4 : 0) | lengths)
        bytes.append(UInt8(truncatingIfNeeded: arrays.count))
        for array in arrays {
            bytes.append((array.isComplete ? 0x80 : 0) | array.nalUnitType & 0x3F)
            bytes.appendBigEndian(UInt16(truncatingIfNeeded: array.units.count))
            for unit in array.units {
                guard let count = UInt16(exactly: unit.count) else {
                    throw ContainerError(
                        .unrepresentable, "hvcC: a parameter set of \(unit.count) bytes exceeds 65,535")
                }
                bytes.appendBigEndian(count)
                bytes += unit
            }
        }
        return bytes
    }

    /// Returns the codec string (ISO/IEC 14496-15, E.3).
    public func codecString(sampleEntry: FourCC = "hvc1") -> String {
        let space = ["", "A", "B", "C"][Int(profileSpace & 3)]
        var reversed: UInt32 = 0
        for bit in 0..<32 as Range<UInt32> where compatibility >> bit & 1 != 0 { reversed |= 1 << (31 - bit) }
        var text = "\(sampleEntry).\(space)\(profile).\(String(reversed, radix: 16, uppercase: true))"
        text += ".\(isHighTier ? "H" : "L")\(level)"
        var bytes = (0..<6).map { UInt8(truncatingIfNeeded: constraints >> UInt64(40 - 8 * $0)) }
        while bytes.last == 0 { bytes.removeLast() }
        for byte in bytes { text += "." + String(byte, radix: 16, uppercase: true) }
        return text
    }
}
