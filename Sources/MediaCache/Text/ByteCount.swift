/// A number of bytes, formatted for display.
package struct ByteCount: Sendable, Hashable {
    package var bytes: Int64

    package init(_ bytes: Int64) { self.bytes = bytes }

    /// The exact count, in the largest unit that it's a multiple of: `10GB`, `512MiB`, or `1500` if there is none.
    /// Decimal units are preferred, but MiB and larger binary units precede kB.
    package var exactText: String {
        let units: [(name: String, size: Int64)] = [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("TiB", 1 << 40), ("GiB", 1 << 30),
            ("MiB", 1 << 20), ("kB", 1000), ("KiB", 1 << 10),
        ]
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.size) }) else { return "\(bytes)" }
        return "\(bytes / unit.size)\(unit.name)"
    }
}

extension ByteCount: CustomStringConvertible {
    /// The count with three figures and a decimal unit: `1.50 GB`, `15.0 GB`, `150 GB`. Counts below 1000 are exact.
    package var description: String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = -1
        // 999.5 of a unit would be rounded to 1000, so it's displayed as 1.00 of the next unit.
        while value >= 999.5, unit < Self.units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(Self.threeFigures(value)) \(Self.units[max(unit, 0)])"
    }

    private static let units = ["kB", "MB", "GB", "TB", "PB", "EB"]

    private static func threeFigures(_ value: Double) -> String {
        let decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        let scale = [1.0, 10, 100][decimals]
        let scaled = Int64((value * scale).rounded())
        let whole = scaled / Int64(scale)
        guard decimals > 0 else { return "\(whole)" }
        let fraction = String(scaled % Int64(scale))
        return "\(whole).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
    }
}
