/// A track's part in a movie fragment, `traf` (ISO/IEC 14496-12, 8.8.6).
public struct TrackFragment: Sendable {
    /// One `trun`: samples whose bytes follow each other.
    struct Run: Sendable {
        /// How many samples there are.
        var count = 0
        /// Which fields each sample has (8.8.8.1).
        var flags: UInt32 = 0
        /// Where the first sample's bytes begin in the file.
        var offset: Int64 = 0
        /// The first sample's flags where they differ.
        var firstSampleFlags: UInt32?
        /// Where the samples' fields begin in the payload of `moof`.
        var start = 0
        /// Bytes of a sample's fields.
        var width = 0
    }

    /// The index of the track in the movie.
    public internal(set) var track: Int
    /// The decoding time of the first sample in the track's timescale, or nil: right after the fragment before.
    public internal(set) var baseDecodeTime: Int64?
    /// Whether its samples bring encryption data of their own (`senc` or PIFF's box).
    public internal(set) var hasSampleEncryption = false
    /// What samples assume that don't say.
    var defaults: FragmentDefaults
    /// The largest amount by which a sample is shown before its stored decoding time.
    var largestNegativeOffset: Int64 = 0
    /// The runs.
    var runs: [Run] = []

    /// The bytes of samples that have no fields of their own, each counted as one byte at least.
    var unlistedBytes: Int64 {
        runs.reduce(0) { sum, run in
            run.width > 0 ? sum : sum.addingClamped(Int64(run.count) * Int64(max(1, defaults.size)))
        }
    }
}
