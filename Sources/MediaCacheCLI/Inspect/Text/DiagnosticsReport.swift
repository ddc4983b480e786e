import HLS

/// What there is to say about a playlist, as text for people.
enum DiagnosticsReport {
    /// More are counted only; `--json` has them all.
    private static let most = 40

    /// A heading with the counts, and a line for each finding.
    static func text(_ inspection: Inspection) -> String {
        let diagnostics = inspection.diagnostics
        guard !diagnostics.isEmpty else { return "Nothing found that is against RFC 8216bis." }
        var table = Table([.init("LINE", .right), .init("SEVERITY"), .init("RULE"), .init("FINDING")])
        for diagnostic in diagnostics.prefix(most) {
            table.add([
                diagnostic.line > 0 ? "\(diagnostic.line)" : "–", diagnostic.severity.rawValue,
                diagnostic.rule.description, diagnostic.message,
            ])
        }
        var lines = [heading(diagnostics), table.rendered()]
        let rest = diagnostics.count - most + inspection.parsed.droppedDiagnostics
        if rest > 0 { lines.append("… and \(rest) more.") }
        return lines.joined(separator: "\n")
    }

    private static func heading(_ diagnostics: [Diagnostic]) -> String {
        func number(_ severity: Diagnostic.Severity) -> Int { diagnostics.count { $0.severity == severity } }
        let counts = [
            PlaylistReport.count(number(.error), "error", "errors"),
            PlaylistReport.count(number(.warning), "warning", "warnings"),
            PlaylistReport.count(number(.note), "note", "notes"),
        ]
        return "Findings: " + counts.compactMap(\.self).joined(separator: ", ")
    }
}
