/// The content of `moof`: additional samples of some tracks (ISO/IEC 14496-12, 8.8.4).
public struct MovieFragment: Sendable {
    /// The sequence number from `mfhd`.
    public internal(set) var sequenceNumber: UInt32 = 0
    /// The track fragments in file order.
    public internal(set) var tracks: [TrackFragment] = []
    /// The payload of `moof`, which contains the tables of the runs.
    let bytes: [UInt8]

    /// Reads the bytes of `moof` after its header. `movie` contains the defaults of the tracks. Throws an error with
    /// the offset of the damage.
    public init(payload: [UInt8], header: BoxHeader, movie: Movie) throws(ContainerError) {
        bytes = payload
        let result = try payload.withReader(at: header.payload.lowerBound) { (reader) throws(ContainerError) in
            var parser = MovieFragmentParser(header: header, movie: movie)
            try parser.parse(reader)
            return (parser.sequenceNumber, parser.tracks)
        }
        (sequenceNumber, tracks) = result
    }
}

/// The samples of one track in a movie fragment, `traf` (ISO/IEC 14496-12, 8.8.6).
public struct TrackFragment: Sendable {
    /// A `trun`: samples with contiguous bytes.
    struct Run: Sendable {
        var count = 0
        /// The flags that indicate the fields of each sample (8.8.8.1).
        var flags: UInt32 = 0
        var offset: Int64 = 0
        var firstSampleFlags: UInt32?
        /// The index of the samples' fields in the payload of `moof`.
        var start = 0
        /// The size of each sample's fields in bytes.
        var width = 0
    }

    /// The index of the track in the movie.
    public internal(set) var track: Int
    /// The decoding time of the first sample in the timescale of the track, or nil to continue after the previous
    /// fragment.
    public internal(set) var baseDecodeTime: Int64?
    /// Whether the samples have individual encryption data (`senc` or its PIFF equivalent).
    public internal(set) var hasSampleEncryption = false
    /// The defaults for fields that a run doesn't contain.
    var defaults: FragmentDefaults
    /// The maximum amount by which the presentation time of a sample precedes its stored decoding time.
    var largestNegativeOffset: Int64 = 0
    var runs: [Run] = []

    /// The total size of the samples in runs without per-sample fields. Each sample counts as at least one byte.
    var unlistedBytes: Int64 {
        runs.reduce(0) { sum, run in
            run.width > 0 ? sum : sum.addingClamped(Int64(run.count) * Int64(max(1, defaults.size)))
        }
    }
}

/// The default values for samples in fragments of a track (`trex`, then `tfhd`; ISO/IEC 14496-12, 8.8.3 and 8.8.7).
struct FragmentDefaults: Sendable, Hashable {
    /// The number of the sample description, from 1.
    var descriptionIndex: UInt32 = 1
    var duration: UInt32 = 0
    var size: UInt32 = 0
    /// The sample flags of 8.8.3.1.
    var flags: UInt32 = 0
}
