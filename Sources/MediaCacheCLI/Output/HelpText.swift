/// The arrangement of help texts.
enum HelpText {
    /// The sections that follow a command's own options.
    private static let last = ["ORIGIN OPTIONS:", "GLOBAL OPTIONS:"]

    /// Returns a help text of the argument parser with the command's own options before those that many commands share.
    /// The parser writes sections with titles first.
    static func arranged(_ text: String) -> String {
        var sections: [[Substring]] = [[]]
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if isHeading(line) { sections.append([]) }
            sections[sections.count - 1].append(line)
        }
        let shared = sections.filter { last.contains(String($0.first ?? "")) }
        guard let own = sections.firstIndex(where: { $0.first == "OPTIONS:" }), !shared.isEmpty else { return text }
        // The last lines of the text follow the options.
        var options = sections[own]
        let end = options.dropFirst().firstIndex(of: "") ?? options.endIndex
        let rest = options[end...]
        options = Array(options[..<end]) + [""]
        var lines: [Substring] = []
        for section in sections[..<own] where !last.contains(String(section.first ?? "")) { lines += section }
        lines += options
        for section in shared { lines += section }
        while lines.last == "" { lines.removeLast() }
        lines += rest
        for section in sections[(own + 1)...] { lines += section }
        return lines.joined(separator: "\n")
    }

    private static func isHeading(_ line: Substring) -> Bool {
        line.hasSuffix(" OPTIONS:") || line.hasSuffix(" SUBCOMMANDS:") || line == "OPTIONS:" || line == "ARGUMENTS:"
    }
}
