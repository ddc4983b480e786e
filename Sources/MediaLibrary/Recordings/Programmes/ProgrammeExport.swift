/// An export of a programme in one format, which is made after the programme's end.
public struct ProgrammeExport: Sendable, Hashable, Codable {
    /// The state of an export.
    public enum State: Sendable, Hashable, Codable {
        /// Waiting for the end of the programme, or for other exports.
        case waiting
        /// Being made, with a progress from 0 to 1. If the process is killed, the export begins again.
        case running(progress: Double)
        /// Finished, with the size of the file.
        case done(bytes: Int64)
        /// Failed, with a description for display.
        case failed(reason: String)
        /// Cancelled by the user.
        case cancelled
    }

    /// A segment that is damaged in an export, or a track that is missing in it.
    public struct DamagedSegment: Sendable, Hashable, Codable {
        /// The segment's name in the recording, or the track's.
        public var name: String
        /// Where it begins, in seconds from the beginning of the first segment.
        public var start: Double
        /// The duration in seconds.
        public var duration: Double
        /// A description of the damage for display.
        public var reason: String
    }

    /// The maximum number of damaged segments in a list.
    static let mostListed = 100

    /// The format.
    public let format: ProgrammeFormat
    /// The state.
    public internal(set) var state = State.waiting
    /// How many of the programme's segments are missing in it, of all tracks.
    public internal(set) var missing = 0
    /// Those of them that were recorded and are damaged, and the tracks of which nothing was recorded; of many, the first
    /// 100. A missing track counts as one segment.
    public internal(set) var damaged: [DamagedSegment] {
        get { knownDamage ?? [] }
        set { knownDamage = newValue.isEmpty ? nil : newValue }
    }
    // Nil in exports of versions that didn't list damage.
    private var knownDamage: [DamagedSegment]?
    /// The number of attempts that haven't ended. It's stored before an attempt begins, so that the next process can
    /// distinguish exports that end processes from those that were stopped.
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

    /// Whether the export is known to have no video.
    package internal(set) var isSound = false
    /// A value that distinguishes the file from earlier ones with its name.
    package internal(set) var version = ""

    init(_ format: ProgrammeFormat) { self.format = format }
}
