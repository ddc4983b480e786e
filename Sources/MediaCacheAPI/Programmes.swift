internal import HTTPTypes
public import MediaLibrary

/// A programme: a named, pinned window of a channel.
public struct ProgrammeRecord: Codable, Sendable, Hashable {
    /// The programme's ID, as used in URLs.
    public var id: String
    /// The programme's name.
    public var name: String
    /// The start, in milliseconds since 1970.
    public var from: Int64
    /// The end, in milliseconds since 1970.
    public var to: Int64
    /// The URL of a playlist of the recorded part.
    public var playlistURL: String
    /// The URL of the recorded part as one MP4, available when the programme is over.
    public var movieURL: String
    /// The requested exports and their states.
    public var exports: [ExportRecord]

    /// Creates the record of a programme.
    ///
    /// - Parameters:
    ///   - recordedRanges: The recorded time ranges of the channel.
    ///   - base: The URL to which the channel's paths are appended, with a slash at the end.
    public init(_ programme: Programme, recordedRanges: [TimeSpan], base: String) {
        let span = TimeSpan(programme.from..<max(programme.from, programme.to))
        id = programme.id
        name = programme.name
        (from, to) = (span.from, span.to)
        let (from, to) = (from, to)
        let begin = max(from, recordedRanges.first { $0.to > from && $0.from < to }?.from ?? from)
        playlistURL = "\(base)index.m3u8?begintime=\(begin)&endtime=\(to)"
        movieURL = "\(base)\(begin)-\(to).mp4"
        exports = programme.exports.map { ExportRecord($0, of: programme.id, base: base) }
    }
}

/// An export of a programme in one format, created when the programme is over.
public struct ExportRecord: Codable, Sendable, Hashable {
    /// The state of an export.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// The programme isn't over, or other exports come first.
        case waiting
        /// The export is being created.
        case running
        /// The export is available.
        case done
        /// The export failed; `reason` is the cause.
        case failed
        /// The export was cancelled.
        case cancelled

        /// Creates the state of an export.
        public init(_ state: ProgrammeExport.State) {
            switch state {
            case .waiting: self = .waiting
            case .running: self = .running
            case .done: self = .done
            case .failed: self = .failed
            case .cancelled: self = .cancelled
            }
        }
    }

    /// The format: `hls`, `mp4` or `3gp`.
    public var format: String
    /// The state.
    public var state: State
    /// The completed fraction, from 0 to 1.
    public var progress: Double
    /// The size in bytes; null until the export is done.
    public var bytes: Int64?
    /// The number of the programme's segments, on all tracks, that are missing in the export.
    public var missing: Int
    /// The damaged segments, and the tracks without recorded segments; at most 100, or null if there are none. A track
    /// is one entry.
    public var damaged: [ProgrammeExport.DamagedSegment]?
    /// The cause of the state `failed`; null in other states.
    public var reason: String?
    /// The URL of the export, available in the state `done`.
    public var url: String

    /// Creates the record of an export.
    ///
    /// - Parameters:
    ///   - programme: The programme's ID.
    ///   - base: The URL to which the channel's paths are appended, with a slash at the end.
    public init(_ export: ProgrammeExport, of programme: String, base: String) {
        format = export.format.rawValue
        state = State(export.state)
        progress = 0
        missing = export.missing
        damaged = export.damaged.isEmpty ? nil : export.damaged
        url = "\(base)programmes/\(programme)\(export.format == .hls ? "/index.m3u8" : "." + format)"
        switch export.state {
        case .waiting, .cancelled: break
        case .running(let progress): self.progress = progress
        case .done(let bytes): (progress, self.bytes) = (1, bytes)
        case .failed(let reason): self.reason = reason
        }
    }
}

/// The response to `GET /api/v1/channels/<name>/programmes`.
public struct ProgrammeList: Codable, Sendable, Hashable {
    /// The programmes, in order of addition.
    public var programmes: [ProgrammeRecord]

    /// Creates a list.
    public init(programmes: [ProgrammeRecord]) { self.programmes = programmes }
}

/// The body of `POST /api/v1/channels/<name>/programmes`: a window to pin.
public struct ProgrammeAddition: Codable, Sendable, Hashable {
    /// The programme's name.
    public var name: String
    /// The start, in any format that the URL of a window accepts: milliseconds or seconds since 1970, ISO 8601, `now`,
    /// or `-<seconds>` for seconds ago.
    public var from: String
    /// The end, in the same formats as `from`.
    public var to: String
    /// The formats to export when the programme is over: `hls`, `mp4`, `3gp`. Null means none.
    public var formats: [String]?

    /// Creates a request.
    public init(name: String, from: String, to: String, formats: [String]? = nil) {
        self.name = name
        self.from = from
        self.to = to
        self.formats = formats
    }
}

extension APIClient {
    /// Returns the programmes of a channel, in order of addition.
    public func programmes(of name: ChannelName) async throws -> [ProgrammeRecord] {
        try await (call(.get, "\(Self.channelsPath)/\(name)/programmes") as ProgrammeList).programmes
    }

    /// Pins a window of a channel as a programme.
    public func addProgramme(_ addition: ProgrammeAddition, to name: ChannelName) async throws -> ProgrammeRecord {
        try await call(.post, "\(Self.channelsPath)/\(name)/programmes", content: try .json(addition))
    }

    /// Removes a programme and its exports. Its segments become subject to retention again.
    public func removeProgramme(_ id: String, from name: ChannelName) async throws {
        try await send(.delete, "\(Self.channelsPath)/\(name)/programmes/\(id)")
    }

    /// Requests the export of a programme, or retries a failed or cancelled export. The export is created when the
    /// programme is over.
    public func export(
        _ id: String, of name: ChannelName, as format: ProgrammeFormat
    ) async throws -> ProgrammeRecord {
        try await call(.post, Self.path(ofExport: format, of: id, in: name))
    }

    /// Cancels an export, or removes a finished one.
    public func removeExport(_ format: ProgrammeFormat, of id: String, in name: ChannelName) async throws {
        try await send(.delete, Self.path(ofExport: format, of: id, in: name))
    }

    private static func path(ofExport format: ProgrammeFormat, of id: String, in name: ChannelName) -> String {
        "\(channelsPath)/\(name)/programmes/\(escape(id))/exports/\(format.rawValue)"
    }
}
