/// The formatting of text for man(7).
enum RoffText {
    /// Escapes a line, so that it contains no requests and its hyphens can be copied.
    static func escape(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&" + escaped : escaped
    }

    /// Returns the paragraphs of a help text. Indented lines are examples; empty lines separate paragraphs.
    static func paragraphs(_ text: String) -> String {
        var output: [String] = []
        var isExample = false
        var isFirst = true
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let isIndented = line.hasPrefix("  ")
            if isIndented != isExample, !(line.isEmpty && isExample) {
                output += isIndented ? [".PP", ".nf", ".RS 2"] : [".RE", ".fi", ".PP"]
                (isExample, isFirst) = (isIndented, true)
            }
            if line.isEmpty {
                if isExample { output += [".RE", ".fi"] }
                output.append(".PP")
                (isExample, isFirst) = (false, true)
            } else {
                if !isExample, !isFirst { output.append(".br") }
                output.append(escape(isExample ? String(line.dropFirst(2)) : line))
                isFirst = false
            }
        }
        if isExample { output += [".RE", ".fi"] }
        return withoutEmptyParagraphs(output).joined(separator: "\n")
    }

    /// Removes empty paragraphs, which linters for manual pages reject.
    private static func withoutEmptyParagraphs(_ lines: [String]) -> [String] {
        var output: [String] = []
        for line in lines {
            if output.last == ".PP", line == ".PP" || line == ".nf" { output.removeLast() }
            if line == ".nf" { output.append(".PP") }
            output.append(line)
        }
        while output.last == ".PP" { output.removeLast() }
        return output
    }
}
