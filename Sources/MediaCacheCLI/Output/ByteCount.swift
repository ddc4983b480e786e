/// An amount of bytes as a person writes and reads it: `10GB` is 10¹⁰, `512MiB` is 512 × 2²⁰.
struct ByteCount: Sendable, Hashable {
    /// The amount in bytes; never negative.
    var bytes: Int64

    /// An amount of `bytes`.
    init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// Reads `text`: a number, with a fraction or not, and a unit (B, KB, MB, GB, TB, KiB, MiB, GiB, TiB). A bare K, M,
    /// G or T is decimal; no unit means bytes. Case and the space between don't matter.
    ///
    /// - Throws: ``ArgumentTextError``, saying what is wrong and what would be right.
    init(parsing text: String) throws {
        let trimmed = text.filter { !$0.isWhitespace }
        let number = trimmed.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = trimmed[number.endIndex...].lowercased()
        guard let value = Double(number), value.isFinite else {
            throw ArgumentTextError("“\(text)” is not an amount of bytes; write it as 500MB, 10GB or 512MiB")
        }
        guard let factor = Self.factors[unit] else {
            throw ArgumentTextError(
                "“\(trimmed[number.endIndex...])” in “\(text)” is no unit of bytes; use B, KB, MB, GB, TB, KiB, MiB, GiB or TiB"
            )
        }
        let product = value * factor
        guard product < 0x1p63 else {
            throw ArgumentTextError("“\(text)” is more than can be counted")
        }
        bytes = Int64(product.rounded())
    }

    private static let factors: [String: Double] = [
        "": 1, "b": 1,
        "k": 1e3, "kb": 1e3, "kib": 0x1p10,
        "m": 1e6, "mb": 1e6, "mib": 0x1p20,
        "g": 1e9, "gb": 1e9, "gib": 0x1p30,
        "t": 1e12, "tb": 1e12, "tib": 0x1p40,
    ]
}

extension ByteCount {
    /// The amount as ``init(parsing:)`` reads it, without loss: in the largest unit of which it's a whole number, decimal
    /// ones first.
    var exactText: String {
        let units: [(name: String, size: Int64)] = [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("TiB", 1 << 40), ("GiB", 1 << 30),
            ("MiB", 1 << 20), ("KB", 1000), ("KiB", 1 << 10),
        ]
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.size) }) else { return "\(bytes)" }
        return "\(bytes / unit.size)\(unit.name)"
    }
}

extension ByteCount: CustomStringConvertible {
    /// Three figures and a decimal unit: `1.50 GB`, `15.0 GB`, `150 GB`; below 1000, whole bytes.
    var description: String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = -1
        // 999.5 would be rounded to 1000 of this unit; it's 1.00 of the next.
        while value >= 999.5, unit < Self.units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\(Self.threeFigures(value)) \(Self.units[max(unit, 0)])"
    }

    private static let units = ["KB", "MB", "GB", "TB", "PB", "EB"]

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
