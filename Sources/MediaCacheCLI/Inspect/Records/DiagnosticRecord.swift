import HLS

/// A finding in JSON.
struct DiagnosticRecord: Encodable, Sendable {
    /// The line, counted from 1; 0 for the playlist as a whole.
    var line: Int
    /// `note`, `warning` or `error`.
    var severity: String
    /// The section of RFC 8216bis and what the rule is about: `4.4.4.1-duration`.
    var rule: String
    /// One sentence.
    var message: String

    /// The record of a finding.
    init(_ diagnostic: Diagnostic) {
        line = diagnostic.line
        severity = diagnostic.severity.rawValue
        rule = diagnostic.rule.description
        message = diagnostic.message
    }
}
