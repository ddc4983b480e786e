/// Collects findings while parsing; ends a strict parse at the first error.
struct DiagnosticLog {
    /// A playlist wrong on every line shouldn't cost more memory for findings than for segments.
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
        let breaksOff = isStrict && severity == .error
        guard entries.count < limit || breaksOff else {
            dropped += 1
            return
        }
        let diagnostic = Diagnostic(line: line, severity: severity, rule: rule, message: message())
        if breaksOff { throw .invalid(diagnostic) }
        entries.append(diagnostic)
    }
}
