public import Foundation

/// A named window of a recording that retention doesn't remove. It may be created before its start.
public struct Programme: Sendable, Hashable, Codable, Identifiable {
    /// The identifier in URLs: random letters and digits.
    public let id: String
    /// The name for display.
    public var name: String
    /// The start.
    public var from: Date
    /// The end.
    public var to: Date
    /// The exports that are made after the end, one per format, with their states.
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

/// The formats in which programmes can be exported.
public enum ProgrammeFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// An on-demand stream of the recorded segments, without copying them.
    case hls
    /// One MP4 with the recorded samples.
    case mp4
    /// 3GP, encoded with H.264 and AAC, for old phones.
    case threeGP = "3gp"
}
