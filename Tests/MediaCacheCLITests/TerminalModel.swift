@testable import MediaCacheCLI

/// A model of a terminal that wraps, scrolls, moves the cursor and erases (ECMA-48; it wraps like a VT100).
struct TerminalModel {
    private let width: Int
    private let height: Int
    /// The rows of cells. The second cell of a wide character is nil.
    private var cells: [[Character?]]
    private var row = 0
    private var column = 0
    /// The lines that scrolled off the screen.
    private(set) var scrolled: [String] = []
    /// The unsupported escape sequences.
    private(set) var unknown: [String] = []

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        cells = [Self.blank(width)]
    }

    private static func blank(_ width: Int) -> [Character?] { Array(repeating: " ", count: width) }

    /// The lines on the screen, without trailing blanks.
    var lines: [String] {
        var lines = cells.map(Self.text)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func text(_ cells: [Character?]) -> String {
        var text = String(cells.compactMap(\.self))
        while text.last == " " { text.removeLast() }
        return text
    }

    mutating func write(_ text: String) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\r": column = 0
            case "\n":
                // A terminal driver adds a carriage return.
                column = 0
                feed()
            case "\u{1B}": escape(&rest)
            default: put(character)
            }
        }
    }

    private mutating func feed() {
        row += 1
        if row == cells.count { cells.append(Self.blank(width)) }
        guard row == height else { return }
        scrolled.append(Self.text(cells.removeFirst()))
        row -= 1
    }

    private mutating func put(_ character: Character) {
        let columns = character.columns
        guard columns > 0 else { return }
        // Wraps before a character that doesn't fit.
        if column + columns > width {
            column = 0
            feed()
        }
        cells[row][column] = character
        if columns == 2 { cells[row][column + 1] = nil }
        column += columns
    }

    private mutating func escape(_ rest: inout Substring) {
        guard rest.popFirst() == "[" else { return unknown.append("ESC") }
        let digits = rest.prefix { $0.isNumber }
        rest = rest[digits.endIndex...]
        switch rest.popFirst() {
        case "A": row = max(0, row - (Int(digits) ?? 1))
        case "K": erase(from: column)
        case "J":
            erase(from: column)
            cells.removeSubrange((row + 1)...)
        case let command: unknown.append("\(digits)\(command.map(String.init) ?? "")")
        }
    }

    private mutating func erase(from column: Int) {
        // After the last character of a full line, the cursor remains on that character.
        for index in min(column, width - 1)..<width { cells[row][index] = " " }
    }
}
