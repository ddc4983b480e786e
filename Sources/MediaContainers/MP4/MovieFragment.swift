/// What `moof` says: samples of some tracks, after those before (ISO/IEC 14496-12, 8.8.4).
public struct MovieFragment: Sendable {
    /// The sequence number of `mfhd`.
    public internal(set) var sequenceNumber: UInt32 = 0
    /// The fragments of its tracks, in the order of the file.
    public internal(set) var tracks: [TrackFragment] = []
    /// The payload of `moof`, which the runs' tables lie in.
    let bytes: [UInt8]

    /// Reads a movie fragment.
    ///
    /// - Parameters:
    ///   - payload: The bytes of `moof` after its header.
    ///   - header: The header of `moof`.
    ///   - movie: The movie with the tracks' defaults.
    /// - Throws: ``ContainerError`` with the place of what is damaged.
    public init(payload: [UInt8], header: BoxHeader, movie: Movie) throws(ContainerError) {
        bytes = payload
        let result = try payload.withReader(at: header.payload.lowerBound) {
            (reader) throws(ContainerError) in
            var parser = MovieFragmentParser(header: header, movie: movie)
            try parser.parse(reader)
            return (parser.sequenceNumber, parser.tracks)
        }
        (sequenceNumber, tracks) = result
    }
}

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
