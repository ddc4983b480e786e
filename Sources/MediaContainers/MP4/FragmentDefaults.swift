/// What fragments of a track assume where they don't say (`trex`, then `tfhd`; ISO/IEC 14496-12, 8.8.3 and 8.8.7).
struct FragmentDefaults: Sendable, Hashable {
    /// The sample description, counted from 1.
    var descriptionIndex: UInt32 = 1
    /// The duration in the media's timescale.
    var duration: UInt32 = 0
    /// The size in bytes.
    var size: UInt32 = 0
    /// The sample flags of 8.8.3.1.
    var flags: UInt32 = 0
}
