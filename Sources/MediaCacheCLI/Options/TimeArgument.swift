import MediaLibrary

/// The parsing of positions in a media file or stream.
enum TimeArgument {
    /// Returns whether a text is a position in a film rather than a point in time.
    static func isPosition(_ text: String) -> Bool { (try? parse(text)) != nil }

    /// Parses `754.5` (seconds), `12:34.5`, `1:02:03` or `12m34s`, and returns seconds.
    static func parse(_ text: String) throws -> Double {
        let trimmed = text.filter { !$0.isWhitespace }
        let parts = trimmed.split(separator: ":", omittingEmptySubsequences: false)
        let isPlain = trimmed.allSatisfy { $0.isASCII && ($0.isNumber || $0 == "." || $0 == ":") }
        guard isPlain, !trimmed.isEmpty else { return try DurationText.parse(text) / .seconds(1) }
        var seconds = 0.0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            guard parts.count <= 3, let value = Double(part), isLast || !part.contains("."),
                index == 0 || value < 60
            else {
                throw ArgumentTextError("“\(text)” is not a position; write it as 754.5, 12:34.5, 1:02:03 or 12m34s")
            }
            seconds = seconds * 60 + value
        }
        guard seconds < 1e9 else {
            throw ArgumentTextError("“\(text)” is too large; the maximum is 1,000,000,000 seconds")
        }
        return seconds
    }
}
