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

    /// A programme of its own id.
    public init(name: String, from: Date, to: Date) {
        id = AssetID().rawValue
        self.name = name
        self.from = from
        self.to = to
    }

    /// Its time in nanoseconds since 1970.
    var nanoseconds: Range<Int64> {
        let start = from.nanosecondsSinceEpoch
        return start..<max(start, to.nanosecondsSinceEpoch)
    }
}

extension Date {
    /// Nanoseconds since 1970-01-01T00:00:00Z, as far as 64 bits go.
    package var nanosecondsSinceEpoch: Int64 { Int64(clamping: (timeIntervalSince1970 * 1e6).rounded()) * 1000 }

    /// A moment.
    package init(nanosecondsSinceEpoch: Int64) {
        self.init(timeIntervalSince1970: Double(nanosecondsSinceEpoch) / 1e9)
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = value >= 9.2e15 ? Int64(9.2e15) : value <= -9.2e15 ? -Int64(9.2e15) : Int64(value)
    }
}
