/// A violation of RFC 8216bis, a likely mistake, or a note about a playlist.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The severity of a diagnostic.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Information about a valid playlist.
        case note
        /// A likely mistake that doesn't violate the RFC.
        case warning
        /// A violation of the RFC. A strict parser throws it.
        case error

        /// Compares severities. The order is note, warning, error.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { self == .note ? 0 : self == .warning ? 1 : 2 }
    }

    /// The line, counted from 1; 0 for the playlist as a whole.
    public var line: Int
    /// The severity.
    public var severity: Severity
    /// The rule that the diagnostic concerns.
    public var rule: Rule
    /// A sentence that describes the finding.
    public var message: String

    /// Creates a diagnostic.
    public init(line: Int, severity: Severity, rule: Rule, message: String) {
        self.line = line
        self.severity = severity
        self.rule = rule
        self.message = message
    }

    /// The diagnostic on one line: `12: error [4.4.4.1-duration] …`, without a number for the playlist as a whole.
    public var description: String { (line > 0 ? "\(line): " : "") + "\(severity.rawValue) [\(rule)] \(message)" }

    /// A rule of RFC 8216bis.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        /// The number of the section, such as `4.4.4.1`.
        public var section: String
        /// The subject of the rule, such as `duration`.
        public var name: String

        /// Creates a rule of a section.
        public init(section: String, name: String) {
            self.section = section
            self.name = name
        }

        /// The section and the name: `4.4.4.1-duration`.
        public var description: String { section + "-" + name }
    }
}

/// The diagnostics of a parse. In a strict parse, adding an error throws it.
struct DiagnosticLog {
    /// The maximum number of entries. A playlist may have a violation on every line.
    private let limit: Int
    private let isStrict: Bool
    private(set) var entries: [Diagnostic] = []
    private(set) var dropped = 0

    init(isStrict: Bool, limit: Int) {
        self.isStrict = isStrict
        self.limit = limit
    }

    mutating func add(
        _ severity: Diagnostic.Severity, _ rule: Diagnostic.Rule, line: Int, _ message: @autoclosure () -> String
    ) throws(PlaylistError) {
        let isFatal = isStrict && severity == .error
        guard entries.count < limit || isFatal else {
            dropped += 1
            return
        }
        let diagnostic = Diagnostic(line: line, severity: severity, rule: rule, message: message())
        if isFatal { throw .invalid(diagnostic) }
        entries.append(diagnostic)
    }
}
