public import Foundation

/// A named, pinned window of a recording, which retention doesn't remove. It may be created before its start.
public struct Programme: Sendable, Hashable, Codable, Identifiable {
    /// The identifier in URLs: random letters and digits.
    public let id: String
    /// The name for display.
    public var name: String
    /// The start.
    public var from: Date
    /// The end.
    public var to: Date
    /// The exports, at most one per format, with their states. They are made after the programme's end.
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
    ///   - from: The start.
    ///   - to: The end.
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
            let place = exports.firstIndex { $0.format == format }
            switch (place, newValue) {
            case (let place?, let export?): exports[place] = export
            case (let place?, nil): exports.remove(at: place)
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

/// A format of a programme's export.
public enum ProgrammeFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// An on-demand stream of the recorded segments, without copying them.
    case hls
    /// An MP4 file with the recorded samples.
    case mp4
    /// A 3GP file, encoded with H.264 and AAC, for old phones.
    case threeGP = "3gp"
}

/// The export of a programme in one format, which is made after the programme's end.
public struct ProgrammeExport: Sendable, Hashable, Codable {
    /// The state of an export.
    public enum State: Sendable, Hashable, Codable {
        /// The programme hasn't ended, or other exports come first.
        case waiting
        /// The export is in progress, from 0 to 1. It restarts if the process is killed.
        case running(progress: Double)
        /// The export is finished, with the length of the file in bytes.
        case done(bytes: Int64)
        /// The export failed, with a description for display.
        case failed(reason: String)
        /// The export was cancelled.
        case cancelled
    }

    /// A damaged segment of an export, or a track that is missing in it.
    public struct DamagedSegment: Sendable, Hashable, Codable {
        /// The name of the segment or the track in the recording.
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
    /// The number of the programme's segments that are missing in the export, on all tracks.
    public internal(set) var missing = 0
    /// The damaged segments, and the tracks without recorded segments; at most 100. A missing track counts as one
    /// segment.
    public internal(set) var damaged: [DamagedSegment] {
        get { knownDamage ?? [] }
        set { knownDamage = newValue.isEmpty ? nil : newValue }
    }
    // Nil in exports of versions that didn't list damage.
    private var knownDamage: [DamagedSegment]?
    /// The number of unfinished attempts. It is stored before an attempt begins, so that the next process can tell an
    /// export that crashes processes from one that was stopped.
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

    /// Whether the export is known to have audio only.
    package internal(set) var isSound = false
    /// The version of the file, which changes with each export.
    package internal(set) var version = ""

    init(_ format: ProgrammeFormat) { self.format = format }
}
