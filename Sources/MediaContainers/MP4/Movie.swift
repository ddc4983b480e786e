/// The content of `moov`: tracks, sample tables and metadata (ISO/IEC 14496-12, 8.2).
public struct Movie: Sendable {
    /// Ticks per second of the movie's own times, at least 1.
    public internal(set) var timescale: Int32 = 1000
    /// The duration in the timescale of the movie: the longer of those in `mvhd` and `mehd`, or nil if unknown.
    public internal(set) var duration: Int64?
    /// The tracks in file order.
    public internal(set) var tracks: [MovieTrack] = []
    /// Whether `mvex` is present, which means that the file may contain fragments.
    public internal(set) var isFragmented = false
    /// The protection systems listed in `pssh` boxes.
    public internal(set) var protectionSystems: [ProtectionSystem] = []
    /// The pictures in the metadata (`covr`).
    public internal(set) var artwork: [Artwork] = []
    /// The title, artist and other descriptive metadata (`ilst`).
    public internal(set) var metadata = MediaMetadata()
    /// The range of the items of the metadata (`ilst`) in the file; nil if there are none.
    var items: Range<Int64>?

    /// Reads the bytes of `moov` after its header, which begin at an offset of the file. Throws `unsupported` for a
    /// compressed movie, and other errors for damage.
    public init(payload: [UInt8], at offset: Int64) throws(ContainerError) {
        self = try payload.withReader(at: offset) { (reader) throws(ContainerError) in
            var parser = MovieParser(bytes: payload, origin: offset)
            return try parser.parse(reader)
        }
    }

    init() {}

    /// Returns the end of an audio track according to its edit list, in the timescale of the track. Padding in the last
    /// frame follows this end. Returns nil for other kinds of media, for a track without samples in `moov`, and if the
    /// list doesn't define an end.
    func shownEnd(ofTrack index: Int) -> Int64? {
        let track = tracks[index]
        guard track.media.kind == .audio, track.table.sampleCount > 0, !track.edits.edits.isEmpty else { return nil }
        var end: Int64 = 0
        for edit in track.edits.edits {
            guard edit.duration > 0 else { return nil }
            let duration = Int64(clamping: edit.duration)
            end = end.addingClamped(Timescale.convert(duration, from: timescale, to: track.media.timescale))
        }
        return end
    }

    /// The descriptions of the tracks.
    public var mediaTracks: [MediaTrack] { tracks.map(\.media) }

    /// The duration of the longest track in seconds. If unknown, the duration of the movie, or nil.
    public var seconds: Double? {
        mediaTracks.compactMap { track in track.duration.map { Double($0) / Double(track.timescale) } }.max()
            ?? duration.map { Double($0) / Double(timescale) }
    }
}

/// A track of a movie with its sample table and edit list (ISO/IEC 14496-12, 8.3).
public struct MovieTrack: Sendable {
    /// The description of the track.
    public internal(set) var media: MediaTrack
    /// The samples in `moov`; empty if all samples are in fragments.
    public internal(set) var table: SampleTable
    /// The edit list; empty if there is none.
    public internal(set) var edits = EditList()
    /// The handler type, such as `vide`, `soun`, `text`, `subt` or `meta`.
    public internal(set) var handler: FourCC
    /// The defaults for fragments (`trex`).
    var fragmentDefaults = FragmentDefaults()
}

/// The header of a protection system, `pssh` (ISO/IEC 23001-7, 8.1).
public struct ProtectionSystem: Sendable, Hashable {
    /// The id of the system.
    public var systemID: UserType
    /// The size in bytes of the fields after the id: the key ids of version 1, the size of the data, and the data.
    public var size: Int
}
