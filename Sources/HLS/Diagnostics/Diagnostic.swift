/// One finding about a playlist: what it does against RFC 8216bis, or what a reader should know.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// How much a finding matters.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Worth knowing; nothing is broken.
        case note
        /// The RFC advises against it, or an obsolete form.
        case warning
        /// The RFC forbids it. A strict parse ends here.
        case error

        /// Notes before warnings before errors.
        public static func < (left: Severity, right: Severity) -> Bool {
            left.rank < right.rank
        }

        private var rank: Int { self == .note ? 0 : self == .warning ? 1 : 2 }
    }

    /// The line, counted from 1; 0 for the playlist as a whole.
    public var line: Int
    /// How much it matters.
    public var severity: Severity
    /// The rule that is broken.
    public var rule: Rule
    /// One sentence for people.
    public var message: String

    /// A finding.
    public init(line: Int, severity: Severity, rule: Rule, message: String) {
        self.line = line
        self.severity = severity
        self.rule = rule
        self.message = message
    }

    /// The finding on one line: `12: error [4.4.4.1-duration] …`.
    public var description: String { "\(line): \(severity.rawValue) [\(rule)] \(message)" }

    /// A rule, named after the section of RFC 8216bis that it comes from.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        /// The section's number, such as `4.4.4.1`.
        public var section: String
        /// What the rule is about, such as `duration`.
        public var name: String

        /// A rule of a section.
        public init(section: String, name: String) {
            self.section = section
            self.name = name
        }

        init(_ tag: PlaylistTag, _ name: String) {
            self.init(section: tag.section, name: name)
        }

        /// The section and the name: `4.4.4.1-duration`.
        public var description: String { section + "-" + name }
    }
}
