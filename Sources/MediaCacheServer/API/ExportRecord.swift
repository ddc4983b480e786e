public import MediaLibrary

/// One format that a programme is exported as when it's over, as the API gives it.
public struct ExportRecord: Codable, Sendable, Hashable {
    /// Where an export stands.
    public enum State: String, Codable, Sendable, Hashable, CaseIterable {
        /// The programme isn't over, or others are exported first.
        case waiting
        /// It's being made.
        case running
        /// It's there.
        case done
        /// It couldn't be made; `reason` says why.
        case failed
        /// Somebody didn't want it any more.
        case cancelled

        /// The name of a state.
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

    /// `hls`, `mp4` or `3gp`.
    public var format: String
    /// Where it stands.
    public var state: State
    /// How much of it is made, from 0 to 1.
    public var progress: Double
    /// How many bytes it has; null unless it's done.
    public var bytes: Int64?
    /// How many of the programme's segments are missing in it, of all tracks.
    public var missing: Int
    /// The missing segments that were recorded and are damaged, at most 100; null where there are none.
    public var damaged: [ProgrammeExport.DamagedSegment]?
    /// Why it couldn't be made; else null.
    public var reason: String?
    /// Where it is when it's done. It never changes.
    public var url: String

    /// The record of an export.
    ///
    /// - Parameters:
    ///   - export: the export.
    ///   - programme: the programme's ID.
    ///   - base: what its channel's paths stand behind, with a slash at its end.
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
