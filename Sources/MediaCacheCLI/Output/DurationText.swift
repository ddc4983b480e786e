import MediaLibrary

extension DurationText {
    /// Parses one or more numbers with units: `30d`, `12h`, `1h30m`, `45s`. The units are w, d, h, m or min (minutes),
    /// s and ms.
    static func parse(_ text: String) throws -> Duration {
        var rest = text.filter { !$0.isWhitespace }.lowercased()[...]
        guard !rest.isEmpty else { throw ArgumentTextError("the duration is missing; write it as 30d, 12h or 90s") }
        var total = 0.0
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let value = Double(number), value.isFinite else {
                throw ArgumentTextError("“\(text)” is not a duration; write it as 30d, 12h, 1h30m or 90s")
            }
            rest = rest[number.endIndex...]
            let unit = rest.prefix { $0.isLetter }
            guard !unit.isEmpty else {
                throw ArgumentTextError("“\(text)” has no unit; write \(number)s, \(number)m, \(number)h or \(number)d")
            }
            guard let seconds = units[String(unit)] else {
                throw ArgumentTextError("“\(unit)” in “\(text)” is not a unit of time; use w, d, h, m, s or ms")
            }
            total += value * seconds
            rest = rest[unit.endIndex...]
        }
        guard total < 1e12 else { throw ArgumentTextError("“\(text)” is too long; the maximum is 30,000 years") }
        return .seconds(total)
    }

    /// Returns a duration in the syntax of ``parse(_:)``, rounded to the millisecond, in the largest of the units d,
    /// h, m, s and ms that divides it.
    static func exact(_ duration: Duration) -> String {
        let milliseconds = Int64((duration / .milliseconds(1)).rounded())
        let sizes: [(name: String, size: Int64)] = [
            ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
        ]
        guard milliseconds > 0, let unit = sizes.first(where: { milliseconds.isMultiple(of: $0.size) }) else {
            return "\(milliseconds)ms"
        }
        return "\(milliseconds / unit.size)\(unit.name)"
    }

    private static let units: [String: Double] = [
        "w": 604_800, "d": 86400, "h": 3600, "m": 60, "min": 60, "s": 1, "ms": 0.001,
    ]
}
