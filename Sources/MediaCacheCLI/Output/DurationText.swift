/// Lengths of time as a person writes and reads them: `30d`, `12h`, `1h30m`, `45s`.
enum DurationText {
    /// Reads one or more numbers, each with its unit: w, d, h, m (minutes), s or ms.
    ///
    /// - Throws: ``ArgumentTextError``, saying what is wrong and what would be right.
    static func parse(_ text: String) throws -> Duration {
        var rest = text.filter { !$0.isWhitespace }.lowercased()[...]
        guard !rest.isEmpty else { throw ArgumentTextError("a length of time is missing; write it as 30d, 12h or 90s") }
        var total = 0.0
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            guard let value = Double(number), value.isFinite else {
                throw ArgumentTextError("“\(text)” is not a length of time; write it as 30d, 12h, 1h30m or 90s")
            }
            rest = rest[number.endIndex...]
            let unit = rest.prefix { $0.isLetter }
            guard !unit.isEmpty else {
                throw ArgumentTextError("“\(text)” has no unit; say \(number)s, \(number)m, \(number)h or \(number)d")
            }
            guard let seconds = units[String(unit)] else {
                throw ArgumentTextError("“\(unit)” in “\(text)” is no unit of time; use w, d, h, m, s or ms")
            }
            total += value * seconds
            rest = rest[unit.endIndex...]
        }
        guard total < 1e12 else { throw ArgumentTextError("“\(text)” is longer than can be counted") }
        return .seconds(total)
    }

    /// The two largest units that aren't zero: `2d 3h`, `1m 05s`, `42s`.
    static func describe(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let (days, hours, minutes) = (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60)
        if days > 0 { return hours > 0 ? "\(days)d \(hours)h" : "\(days)d" }
        if hours > 0 { return "\(hours)h \(twoDigits(minutes))m" }
        if minutes > 0 { return "\(minutes)m \(twoDigits(seconds % 60))s" }
        return "\(seconds)s"
    }

    /// A length of time as ``parse(_:)`` reads it: in the largest unit of which it's a whole number, else to the
    /// millisecond.
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

    private static func twoDigits(_ value: Int64) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
