/// Lines at the bottom of a terminal that draw over themselves: what is to be written so that those that stand there become
/// others, more or fewer. None of them may be wider than the terminal, or they would break into two.
struct LineBlock: Sendable {
    /// How many lines stand there.
    private(set) var height = 0

    /// Puts `lines` in place of those that stand there; nothing where there is nothing to change.
    mutating func drawing(_ lines: [String]) -> String {
        guard !lines.isEmpty || height > 0 else { return "" }
        // Up to the first line, then each in place of the one before; what is left of it below is erased.
        let up = height > 1 ? "\u{1B}[\(height - 1)A" : ""
        height = lines.count
        return "\(up)\r" + lines.map { "\($0)\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
    }

    /// Leaves the lines, so that what follows stands below them.
    mutating func leaving() -> String {
        defer { height = 0 }
        return height > 0 ? "\n" : ""
    }
}
