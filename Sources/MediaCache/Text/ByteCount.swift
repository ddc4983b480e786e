import Foundation

/// A number of bytes, formatted for display.
package struct ByteCount: Sendable, Hashable, CustomStringConvertible {
    package var bytes: Int64

    package init(_ bytes: Int64) { self.bytes = bytes }

    /// The count with three figures and a decimal unit: `1.50 GB`, `15.0 GB`, `150 GB`. Counts below 1000 are exact.
    package var description: String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var (value, unit) = (Double(bytes) / 1000, 0)
        // 999.5 of a unit would be rounded to 1000, so it's displayed as 1.00 of the next unit.
        while value >= 999.5, unit < Self.units.count - 1 {
            value /= 1000
            unit += 1
        }
        let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        // Rounded first, because the format rounds ties to even.
        let scale = [1.0, 10, 100][decimals]
        return String(format: "%.\(decimals)f ", (value * scale).rounded() / scale) + Self.units[unit]
    }

    private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]
}
