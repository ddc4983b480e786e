/// What `moov` says: the tracks and their tables (ISO/IEC 14496-12, 8.2).
public struct Movie: Sendable {
    /// Ticks per second of the movie's own times, at least 1.
    public internal(set) var timescale: Int32 = 1000
    /// The duration in the movie's timescale, or nil where `mvhd` doesn't say.
    public internal(set) var duration: Int64?
    /// The tracks, in the order of the file.
    public internal(set) var tracks: [MovieTrack] = []
    /// Whether samples may come in fragments too (`mvex` is there).
    public internal(set) var isFragmented = false
    /// The protection systems that `pssh` names.
    public internal(set) var protectionSystems: [ProtectionSystem] = []
    /// Pictures in the metadata (`covr`).
    public internal(set) var artwork: [Artwork] = []

    /// Reads a movie box.
    ///
    /// - Parameters:
    ///   - payload: The bytes of `moov` after its header.
    ///   - offset: Where they begin in the file.
    /// - Throws: ``ContainerError`` with the place of what is damaged.
    public init(payload: [UInt8], at offset: Int64) throws(ContainerError) {
        self = try payload.withReader(at: offset) { (reader) throws(ContainerError) in
            var parser = MovieParser(bytes: payload, origin: offset)
            return try parser.parse(reader)
        }
    }

    /// An empty movie, which ``MovieParser`` fills.
    init() {}

    /// Where the edit list ends a track of sound, in the track's timescale, or nil where it doesn't: the padding of the
    /// last frame is left out after it.
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

    /// The tracks as players know them.
    public var mediaTracks: [MediaTrack] { tracks.map(\.media) }

    /// How long it lasts in seconds: its longest track, else what `mvhd` says; nil where nothing does.
    public var seconds: Double? {
        mediaTracks.compactMap { track in track.duration.map { Double($0) / Double(track.timescale) } }.max()
            ?? duration.map { Double($0) / Double(timescale) }
    }
}

/// A track of a movie: what it carries, its sample table and edit list (ISO/IEC 14496-12, 8.3).
public struct MovieTrack: Sendable {
    /// The track as players know it.
    public internal(set) var media: MediaTrack
    /// Its samples in `moov`; empty in a file of fragments only.
    public internal(set) var table: SampleTable
    /// Its edit list; empty where it has none.
    public internal(set) var edits = EditList()
    /// The handler: `vide`, `soun`, `text`, `subt`, `meta`, …
    public internal(set) var handler: FourCC
    /// Whether `tkhd` marks the track as enabled.
    public internal(set) var isEnabled = true
    /// The defaults of its fragments (`trex`).
    var fragmentDefaults = FragmentDefaults()
}

/// A protection system's header, `pssh` (ISO/IEC 23001-7, 8.1).
public struct ProtectionSystem: Sendable, Hashable {
    /// The system's id.
    public var systemID: UserType
    /// The size of what follows the id, in bytes; its content is the system's own.
    public var size: Int
}
