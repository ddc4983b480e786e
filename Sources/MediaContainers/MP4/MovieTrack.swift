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
