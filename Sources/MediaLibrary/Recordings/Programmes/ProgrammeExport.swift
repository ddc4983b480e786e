/// One format that a programme is exported as when it's over, and how far that is.
public struct ProgrammeExport: Sendable, Hashable, Codable {
    /// Where it stands.
    public enum State: Sendable, Hashable, Codable {
        /// The programme isn't over, or others are exported first.
        case waiting
        /// It's being made: how much of it is done, from 0 to 1. Who dies over it begins anew.
        case running(progress: Double)
        /// It's there, with so many bytes.
        case done(bytes: Int64)
        /// It couldn't be made: why, in words.
        case failed(reason: String)
        /// Somebody didn't want it any more.
        case cancelled
    }

    /// A segment that is damaged in an export, or a track that is missing in it.
    public struct DamagedSegment: Sendable, Hashable, Codable {
        /// The segment's name in the recording, or the track's.
        public var name: String
        /// Where it begins, in seconds from the beginning of the first segment.
        public var start: Double
        /// Seconds.
        public var duration: Double
        /// The damage, for people.
        public var reason: String
    }

    /// The most damaged segments that are listed.
    static let mostListed = 100

    /// What it's made as.
    public let format: ProgrammeFormat
    /// Where it stands.
    public internal(set) var state = State.waiting
    /// How many of the programme's segments are missing in it, of all tracks.
    public internal(set) var missing = 0
    /// Those of them that were recorded and are damaged, and the tracks of which nothing was recorded; of many, the first
    /// 100. A missing track counts as one segment.
    public internal(set) var damaged: [DamagedSegment] {
        get { knownDamage ?? [] }
        set { knownDamage = newValue.isEmpty ? nil : newValue }
    }
    // Exports made before damage was listed have none.
    private var knownDamage: [DamagedSegment]?
    /// The number of times it was begun without having ended. While it runs that is above 0 on disk, so that the next
    /// process can tell a job that ends processes from one that was stopped.
    var attempts: Int {
        get { knownAttempts ?? 0 }
        set { knownAttempts = newValue > 0 ? newValue : nil }
    }
    private var knownAttempts: Int?

    private enum CodingKeys: String, CodingKey {
        case format, state, missing, isSound, version
        case knownDamage = "damaged"
        case knownAttempts = "attempts"
    }

    /// Whether it's known to have no pictures.
    package internal(set) var isSound = false
    /// What tells the file from others that were made under its name.
    package internal(set) var version = ""

    init(_ format: ProgrammeFormat) { self.format = format }
}
