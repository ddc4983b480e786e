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
