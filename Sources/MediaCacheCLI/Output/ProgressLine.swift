/// How far something is, as one line. Rendering is a pure function of what is known and how wide the terminal is.
struct ProgressLine: Sendable, Hashable {
    /// What is being fetched.
    var name: String
    /// Bytes that are here.
    var kept: Int64
    /// Bytes there will be, if known.
    var length: Int64?
    /// Whether the length is only estimated.
    var isEstimated = false
    /// Bytes per second; nil until it's known.
    var rate: Double?

    /// What else there is to say, as why nothing comes.
    var remark: String?

    /// The share that is here, 0 to 1, if the length is known.
    var fraction: Double? {
        guard let length else { return nil }
        guard length > 0 else { return 1 }
        return min(1, max(0, Double(kept) / Double(length)))
    }

    /// The time left at the present rate, if it can be known.
    var timeLeft: Duration? {
        guard let length, let rate, rate >= 1, length > kept else { return nil }
        return .seconds((Double(length - kept) / rate).rounded(.up))
    }

    /// A line with a bar for a terminal, never wider than `width` columns: what doesn't fit is left out, the bar first,
    /// then the name.
    func rendered(width: Int) -> String {
        let figures = figures
        let shown = Table.printable(name)
        // A bar shorter than this says nothing that the percentage doesn't.
        let shortestBar = 10
        let nameRoom = min(shown.columns, max(12, width / 3))
        let barRoom = width - nameRoom - figures.columns - 4
        if let fraction, barRoom >= shortestBar {
            return "\(Self.shorten(shown, to: nameRoom)) [\(Self.bar(fraction, width: barRoom - 1))] \(figures)"
        }
        let room = width - figures.columns - 1
        if room >= 4 { return "\(Self.shorten(shown, to: min(room, shown.columns))) \(figures)" }
        return String(figures.prefix(columns: max(0, width)))
    }

    /// A line for a log or a pipe: the same figures, no bar.
    var plain: String { "\(Table.printable(name)): \(figures)" }

    private var figures: String {
        var parts: [String] = []
        if let fraction { parts.append("\(Int((fraction * 100).rounded(.down)))%") }
        if let length {
            parts.append("\(ByteCount(kept)) of \(isEstimated ? "about " : "")\(ByteCount(length))")
        } else {
            parts.append("\(ByteCount(kept))")
        }
        if let rate, rate >= 1 { parts.append("\(ByteCount(Int64(min(rate, 1e18))))/s") }
        if let timeLeft { parts.append("\(DurationText.describe(timeLeft)) left") }
        if let remark { parts.append(Table.printable(remark)) }
        return parts.joined(separator: "  ")
    }

    private static func bar(_ fraction: Double, width: Int) -> String {
        let full = Int((fraction * Double(width)).rounded(.down))
        let head = full < width && full > 0 ? ">" : ""
        let body = String(repeating: "=", count: full - head.count) + head
        return body + String(repeating: " ", count: width - body.count)
    }

    /// The end of a name tells more than its beginning: the extension, the number of an episode.
    private static func shorten(_ text: String, to width: Int) -> String {
        guard text.columns > width else { return text }
        return width <= 1 ? String(text.suffix(columns: max(0, width))) : "…\(text.suffix(columns: width - 1))"
    }
}
