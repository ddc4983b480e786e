/// The fields of a VPCodecConfigurationRecord that form the codec string (VP in ISOBMFF). In `vpcC`, the record follows
/// version and flags.
struct VPConfiguration {
    private let profile: UInt8
    private let level: UInt8
    private let depth: UInt8

    init(record: [UInt8]) throws(ContainerError) {
        guard record.count >= 3 else {
            throw ContainerError(.truncated, "vpcC: \(record.count) bytes instead of at least 3")
        }
        profile = record[0]
        level = record[1]
        depth = record[2] >> 4
    }

    /// Returns the codec string: the sample entry, then profile, level and bit depth, such as `vp09.00.10.08`.
    func codecString(sampleEntry: FourCC) -> String {
        "\(sampleEntry)." + [profile, level, depth].map { "\($0)".zeroPadded(to: 2) }.joined(separator: ".")
    }
}
