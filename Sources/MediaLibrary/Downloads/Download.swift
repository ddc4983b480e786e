public import Foundation

/// The making complete of an asset: what is wanted of it, how far it is, and what keeps it from going on.
public struct Download: Sendable, Hashable, Codable {
    /// Which variant streams and renditions are wanted, where it's a stream.
    public var selection: StreamSelection
    /// Header fields for the origin of its URL, by name.
    public var headers: [String: String]
    /// What goes first: the greater. 0 unless set.
    public var priority: Int
    /// When it was asked for; of those of one priority the first goes first.
    public var added: Date
    /// When a stream that still grows is taken as it is then; nil follows it to its end.
    public var endsAt: Date?
    /// Where it stands.
    public var state: DownloadState
    /// Bytes that are here.
    public var bytes: Int64
    /// Its length in bytes: known, or estimated by what is known; nil where nothing says.
    public var length: Int64?
    /// Whether ``length`` is known, and no estimate.
    public var isLengthKnown: Bool
    /// Parts that are here, and all there are.
    public var parts: Parts
    /// Parts that couldn't be had, in order, the first ``DownloadHole/mostListed`` of them.
    public var holes: [DownloadHole]
    /// How many couldn't be had.
    public var holeCount: Int
    /// What somebody may want to know of what came: wrappings that were taken off, what the playlists leave out.
    public var notes: [AssetContents.Note]

    /// Notes holes, those that aren't noted yet.
    mutating func add(_ more: [DownloadHole]) {
        let new = more.filter { !holes.contains($0) }
        holeCount += new.count
        holes += new.prefix(max(0, DownloadHole.mostListed - holes.count))
    }

    /// How many parts are here, and how many there are.
    public struct Parts: Sendable, Hashable, Codable {
        /// Those that are here.
        public var done: Int
        /// All of them; 0 while nobody knows.
        public var total: Int

        /// Creates a count.
        public init(done: Int = 0, total: Int = 0) {
            self.done = done
            self.total = total
        }
    }

    /// A download that is to begin.
    public init(
        selection: StreamSelection = StreamSelection(), headers: [String: String] = [:], priority: Int = 0, added: Date
    ) {
        self.selection = selection
        self.headers = headers
        self.priority = priority
        self.added = added
        state = .queued
        bytes = 0
        length = nil
        isLengthKnown = false
        parts = Parts()
        holes = []
        holeCount = 0
        notes = []
    }
}
