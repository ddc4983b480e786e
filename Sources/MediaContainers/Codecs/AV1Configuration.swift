/// The fields of an AV1CodecConfigurationRecord, the content of `av1C`, that make up the codec string (AV1 in ISOBMFF,
/// 2.3).
struct AV1Configuration {
    /// The codec string: `av01.profile.levelTier.depth` (AV1 in ISOBMFF, 5).
    let codecString: String

    init(record: [UInt8]) throws(ContainerError) {
        guard record.count >= 4 else {
            throw ContainerError(.truncated, "av1C: \(record.count) bytes instead of at least 4")
        }
        let profile = record[1] >> 5
        let level = record[1] & 0x1F
        let isHighTier = record[2] & 0x80 != 0
        let isHighDepth = record[2] & 0x40 != 0
        let isTwelve = record[2] & 0x20 != 0
        let depth = profile == 2 && isHighDepth && isTwelve ? "12" : isHighDepth ? "10" : "08"
        let levelText = "\(level)".zeroPadded(to: 2)
        codecString = "av01.\(profile).\(levelText)\(isHighTier ? "H" : "M").\(depth)"
    }
}
