public import Foundation

/// A named, pinned window of a recording, which may be in the future. Its segments are exempt from retention.
public struct Programme: Sendable, Hashable, Codable, Identifiable {
    /// The identifier in URLs: random letters and digits.
    public let id: String
    /// The name for display.
    public var name: String
    /// The start time.
    public var from: Date
    /// The end time.
    public var to: Date
    /// The exports, at most one per format. They run after the programme's end.
    public internal(set) var exports: [ProgrammeExport] {
        get { known ?? [] }
        set { known = newValue.isEmpty ? nil : newValue }
    }
    private var known: [ProgrammeExport]?

    private enum CodingKeys: String, CodingKey {
        case id, name, from, to
        case known = "exports"
    }

    /// Creates a programme with a new identifier.
    ///
    /// - Parameters:
    ///   - name: The name for display.
    ///   - from: The start time.
    ///   - to: The end time.
    ///   - formats: The formats to export after the end.
    public init(name: String, from: Date, to: Date, formats: [ProgrammeFormat] = []) {
        id = AssetID().rawValue
        self.name = name
        self.from = from
        self.to = to
        for format in formats where self[format] == nil { exports.append(ProgrammeExport(format)) }
    }

    /// The export in a format; nil if none was requested.
    public internal(set) subscript(format: ProgrammeFormat) -> ProgrammeExport? {
        get { exports.first { $0.format == format } }
        set {
            let index = exports.firstIndex { $0.format == format }
            switch (index, newValue) {
            case (let index?, let export?): exports[index] = export
            case (let index?, nil): exports.remove(at: index)
            case (nil, let export?): exports.append(export)
            case (nil, nil): break
            }
        }
    }

    /// The time range in nanoseconds since 1970.
    var nanoseconds: Range<Int64> {
        let start = from.nanosecondsSinceEpoch
        return start..<max(start, to.nanosecondsSinceEpoch)
    }
}

/// A format for exporting programmes.
public enum ProgrammeFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// An on-demand stream of the recorded segments, without copying them.
    case hls
    /// An MP4 file with the recorded samples, without re-encoding.
    case mp4
    /// A 3GP file, encoded with H.264 and AAC, for old phones.
    case threeGP = "3gp"
}

/// The export of a programme in one format.
public struct ProgrammeExport: Sendable, Hashable, Codable {
    /// The state of an export.
    public enum State: Sendable, Hashable, Codable {
        /// The programme hasn't ended, or the export is queued behind others.
        case waiting
        /// The export is running; `progress` ranges from 0 to 1. If the process is killed, the export restarts; after a
        /// second kill, it fails.
        case running(progress: Double)
        /// The export is finished; `bytes` is the length of the file, or of all segments for HLS.
        case done(bytes: Int64)
        /// The export failed; `reason` is shown to users.
        case failed(reason: String)
        /// The export was cancelled.
        case cancelled
    }

    /// A damaged segment of an export, or a track without any segments.
    public struct DamagedSegment: Sendable, Hashable, Codable {
        /// The name of the segment or track in the recording.
        public var name: String
        /// The start, in seconds from the beginning of the first segment.
        public var start: Double
        /// The duration in seconds.
        public var duration: Double
        /// The description of the damage, for display.
        public var reason: String
    }

    /// The maximum number of listed damaged segments.
    static let maximumListed = 100

    /// The format.
    public let format: ProgrammeFormat
    /// The state.
    public internal(set) var state = State.waiting
    /// The number of missing and damaged segments of all tracks. A missing beginning, end or track counts as one.
    public internal(set) var missing = 0
    /// The damaged segments and the tracks without recorded segments; at most 100 entries.
    public internal(set) var damaged: [DamagedSegment] {
        get { knownDamage ?? [] }
        set { knownDamage = newValue.isEmpty ? nil : newValue }
    }
    // Nil if there is no damage, and in exports of versions that didn't list it.
    private var knownDamage: [DamagedSegment]?
    /// The number of attempts that didn't finish. It's stored before each attempt, so that a later process can
    /// distinguish an export that crashed the process from one that was stopped.
    var attempts: Int {
        get { knownAttempts ?? 0 }
        set { knownAttempts = newValue > 0 ? newValue : nil }
    }
    private var knownAttempts: Int?

    private enum CodingKeys: String, CodingKey {
        case format, state, missing, version
        case isAudioOnly = "isSound"
        case knownDamage = "damaged"
        case knownAttempts = "attempts"
    }

    /// Whether the export is known to contain only audio.
    package internal(set) var isAudioOnly = false
    /// An identifier of the file's contents, which changes with each export.
    package internal(set) var version = ""

    init(_ format: ProgrammeFormat) { self.format = format }
}
