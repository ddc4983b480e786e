public import Foundation

/// A named window of a recording that is kept whatever its retention says. It may be made before it begins.
public struct Programme: Sendable, Hashable, Codable, Identifiable {
    /// What it's called in URLs: letters and digits, made by chance.
    public let id: String
    /// What people call it.
    public var name: String
    /// When it begins.
    public var from: Date
    /// When it's over.
    public var to: Date
    /// What it's exported as when it's over, and how far that is; each format once.
    public internal(set) var exports: [ProgrammeExport] {
        get { known ?? [] }
        set { known = newValue.isEmpty ? nil : newValue }
    }
    private var known: [ProgrammeExport]?

    private enum CodingKeys: String, CodingKey {
        case id, name, from, to
        case known = "exports"
    }

    /// A programme of its own id.
    ///
    /// - Parameters:
    ///   - name: what people call it.
    ///   - from: when it begins.
    ///   - to: when it's over.
    ///   - formats: what it's exported as when it's over.
    public init(name: String, from: Date, to: Date, formats: [ProgrammeFormat] = []) {
        id = AssetID().rawValue
        self.name = name
        self.from = from
        self.to = to
        for format in formats where self[format] == nil { exports.append(ProgrammeExport(format)) }
    }

    /// Its export of a format; nil where it has none.
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

    /// Its time in nanoseconds since 1970.
    var nanoseconds: Range<Int64> {
        let start = from.nanosecondsSinceEpoch
        return start..<max(start, to.nanosecondsSinceEpoch)
    }
}
