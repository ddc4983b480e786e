/// Profile, tier and level of HEVC (ISO/IEC 23008-2, 7.3.3).
public struct HEVCProfile: Sendable, Hashable {
    /// `general_profile_space`, 0 to 3.
    public var space: Int
    /// `general_tier_flag`.
    public var isHighTier: Bool
    /// `general_profile_idc`, 0 to 31.
    public var index: Int
    /// The 32 `general_profile_compatibility_flag`s, the first in the most significant bit.
    public var compatibility: UInt32
    /// The 48 constraint flags.
    public var constraints: UInt64
    /// `general_level_idc`: 30 times the level.
    public var level: UInt8

    init(_ reader: inout BitReader, subLayers: Int) throws(ContainerError) {
        space = Int(try reader.bits(2))
        isHighTier = try reader.flag()
        index = Int(try reader.bits(5))
        compatibility = try reader.bits(32)
        constraints = UInt64(try reader.bits(16)) << 32
        constraints |= UInt64(try reader.bits(32))
        level = UInt8(try reader.bits(8))
        guard subLayers > 0 else { return }
        var present: [(profile: Bool, level: Bool)] = []
        for _ in 0..<subLayers { present.append((try reader.flag(), try reader.flag())) }
        try reader.skip(2 * (8 - subLayers))
        for layer in present {
            if layer.profile { try reader.skip(88) }
            if layer.level { try reader.skip(8) }
        }
    }
}
