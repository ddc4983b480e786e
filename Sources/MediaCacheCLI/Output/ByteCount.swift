import MediaCache

extension ByteCount {
    /// Parses a number with a unit: `10GB` is 10¹⁰ bytes, `512MiB` is 512 × 2²⁰ bytes.
    ///
    /// The units are B, kB, MB, GB, TB, KiB, MiB, GiB and TiB. A bare K, M, G or T is decimal; a number without a unit
    /// is in bytes. Case and white space are ignored.
    init(parsing text: String) throws {
        let trimmed = text.filter { !$0.isWhitespace }
        let number = trimmed.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = trimmed[number.endIndex...].lowercased()
        guard let value = Double(number), value.isFinite else {
            throw ArgumentTextError("“\(text)” is not a size; write it as 500MB, 10GB or 512MiB")
        }
        guard let factor = Self.factors[unit] else {
            throw ArgumentTextError(
                "“\(trimmed[number.endIndex...])” in “\(text)” is not a unit of bytes; use B, kB, MB, GB, TB, KiB, MiB, GiB or TiB"
            )
        }
        let product = value * factor
        guard product < 0x1p63 else {
            throw ArgumentTextError("“\(text)” is too large; the maximum is 8 EiB")
        }
        self.init(Int64(product.rounded()))
    }

    /// The exact count, in the largest unit that it's a multiple of: `10GB`, `512MiB`, or `1500` if there is none.
    /// Decimal units are preferred, but MiB and larger binary units precede kB.
    var exactText: String {
        let units: [(name: String, size: Int64)] = [
            ("TB", 1_000_000_000_000), ("GB", 1_000_000_000), ("MB", 1_000_000), ("TiB", 1 << 40), ("GiB", 1 << 30),
            ("MiB", 1 << 20), ("kB", 1000), ("KiB", 1 << 10),
        ]
        guard bytes > 0, let unit = units.first(where: { bytes.isMultiple(of: $0.size) }) else { return "\(bytes)" }
        return "\(bytes / unit.size)\(unit.name)"
    }

    private static let factors: [String: Double] = [
        "": 1, "b": 1,
        "k": 1e3, "kb": 1e3, "kib": 0x1p10,
        "m": 1e6, "mb": 1e6, "mib": 0x1p20,
        "g": 1e9, "gb": 1e9, "gib": 0x1p30,
        "t": 1e12, "tb": 1e12, "tib": 0x1p40,
    ]
}
