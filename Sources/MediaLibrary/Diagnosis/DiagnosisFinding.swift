/// The result of one check of a diagnosis.
public struct DiagnosisFinding: Encodable, Sendable, Hashable {
    /// The outcome of a check.
    public enum Outcome: String, Encodable, Sendable, Hashable, CaseIterable {
        /// No problem.
        case ok
        /// A problem that limits playback or caching.
        case warning
        /// A problem that prevents playback or caching.
        case failure
    }

    /// The name of the check, in a word or two.
    public var check: String
    /// The outcome.
    public var outcome: Outcome
    /// The result, for display.
    public var found: String
    /// The recommended action; nil if none is needed.
    public var advice: String?

    /// Returns the finding of a check without problems.
    public static func ok(_ check: String, _ found: String) -> DiagnosisFinding {
        DiagnosisFinding(check: check, outcome: .ok, found: found)
    }

    /// Returns the finding of a problem that limits playback or caching.
    public static func warning(_ check: String, _ found: String, advice: String) -> DiagnosisFinding {
        DiagnosisFinding(check: check, outcome: .warning, found: found, advice: advice)
    }

    /// Returns the finding of a problem that prevents playback or caching.
    public static func failure(_ check: String, _ found: String, advice: String) -> DiagnosisFinding {
        DiagnosisFinding(check: check, outcome: .failure, found: found, advice: advice)
    }
}
