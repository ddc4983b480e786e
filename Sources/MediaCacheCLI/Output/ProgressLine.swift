import MediaCache
import MediaLibrary

/// A line that shows the progress of an item.
struct ProgressLine: Sendable, Hashable {
    var name: String
    var cached: Int64
    /// The total number of bytes; nil if it's unknown.
    var length: Int64?
    var isEstimated = false
    /// The rate in bytes per second; nil if it's unknown.
    var rate: Double?
    /// A remark, such as the reason for a wait.
    var remark: String?

    /// The cached fraction, from 0 to 1; nil for an unknown length.
    var fraction: Double? {
        guard let length else { return nil }
        guard length > 0 else { return 1 }
        return min(1, max(0, Double(cached) / Double(length)))
    }

    /// The remaining time at the current rate; nil if it's unknown.
    var timeLeft: Duration? {
        guard let length, let rate, rate >= 1, length > cached else { return nil }
        return .seconds((Double(length - cached) / rate).rounded(.up))
    }

    /// Returns a line with a bar for a terminal of `width` columns. If it doesn't fit, the bar is omitted first, then
    /// the name.
    func rendered(width: Int) -> String {
        let figures = figures
        let shown = Table.printable(name)
        let shortestBar = 10
        let nameWidth = min(shown.columns, max(12, width / 3))
        let barWidth = width - nameWidth - figures.columns - 4
        if let fraction, barWidth >= shortestBar {
            return "\(Self.shorten(shown, to: nameWidth)) [\(Self.bar(fraction, width: barWidth - 1))] \(figures)"
        }
        let room = width - figures.columns - 1
        if room >= 4 { return "\(Self.shorten(shown, to: min(room, shown.columns))) \(figures)" }
        return String(figures.prefix(columns: max(0, width)))
    }

    /// The line for a log or a pipe, without a bar.
    var plain: String { "\(Table.printable(name)): \(figures)" }

    private var figures: String {
        var parts: [String] = []
        if let fraction { parts.append("\(Int((fraction * 100).rounded(.down)))%") }
        if let length {
            parts.append("\(ByteCount(cached)) of \(isEstimated ? "about " : "")\(ByteCount(length))")
        } else {
            parts.append("\(ByteCount(cached))")
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

    /// Returns the end of a text, which identifies a file better than its beginning.
    private static func shorten(_ text: String, to width: Int) -> String {
        guard text.columns > width else { return text }
        return width <= 1 ? String(text.suffix(columns: max(0, width))) : "…\(text.suffix(columns: width - 1))"
    }
}
