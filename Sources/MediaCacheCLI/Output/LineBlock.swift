/// A block of redrawn lines at the bottom of a terminal. No line may be wider than the terminal, since it would wrap.
struct LineBlock: Sendable {
    /// The number of lines drawn on the terminal.
    private(set) var height = 0

    /// Returns the text that replaces the lines on the terminal.
    ///
    /// - Parameter finished: Lines that remain above the block.
    mutating func drawSequence(_ lines: [String], below finished: [String] = []) -> String {
        guard !lines.isEmpty || !finished.isEmpty || height > 0 else { return "" }
        // Move to the first line, overwrite each line, and erase the rest.
        let up = height > 1 ? "\u{1B}[\(height - 1)A" : ""
        height = lines.count
        let above = finished.map { "\($0)\u{1B}[K\n" }.joined()
        return "\(up)\r\(above)" + lines.map { "\($0)\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
    }

    /// Returns the text that moves the cursor below the lines.
    mutating func leaveSequence() -> String {
        defer { height = 0 }
        return height > 0 ? "\n" : ""
    }
}
