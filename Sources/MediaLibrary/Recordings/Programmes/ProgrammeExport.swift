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

    /// What it's made as.
    public let format: ProgrammeFormat
    /// Where it stands.
    public internal(set) var state = State.waiting
    /// How many of the programme's segments are missing in it, of all tracks.
    public internal(set) var missing = 0
    /// Whether it's known to have no pictures.
    package internal(set) var isSound = false
    /// What tells the file from others that were made under its name.
    package internal(set) var version = ""

    init(_ format: ProgrammeFormat) { self.format = format }
}
