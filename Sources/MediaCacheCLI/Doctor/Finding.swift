/// What one check of `doctor` found.
struct Finding: Encodable, Sendable, Hashable {
    /// How it stands.
    enum Outcome: String, Encodable, Sendable, Hashable, CaseIterable {
        /// As it should be.
        case ok
        /// It works, though less well than it could.
        case warning
        /// Something won't work.
        case failure
    }

    /// What was looked at, in a word or two.
    var check: String
    /// How it stands.
    var outcome: Outcome
    /// What was found.
    var found: String
    /// What can be done about it; null where nothing has to be.
    var advice: String?

    /// It's as it should be.
    static func ok(_ check: String, _ found: String) -> Finding {
        Finding(check: check, outcome: .ok, found: found)
    }

    /// It works, though less well than it could.
    static func warning(_ check: String, _ found: String, advice: String) -> Finding {
        Finding(check: check, outcome: .warning, found: found, advice: advice)
    }

    /// Something won't work.
    static func failure(_ check: String, _ found: String, advice: String) -> Finding {
        Finding(check: check, outcome: .failure, found: found, advice: advice)
    }
}

extension Finding {
    /// A line for people, and one more where there is something to do.
    func text(style: TextStyle) -> String {
        let (word, colour): (String, TextStyle.Colour) =
            switch outcome {
            case .ok: ("ok", .green)
            case .warning: ("warning", .yellow)
            case .failure: ("failure", .red)
            }
        let width = 18
        let name = check + String(repeating: " ", count: max(0, width - check.count))
        let margin = String(repeating: " ", count: 8 - word.count)
        let line = "\(style.paint(word, colour))\(margin) \(name) \(Table.printable(found))"
        guard let advice else { return line }
        return line + "\n" + String(repeating: " ", count: 10 + width) + "→ " + Table.printable(advice)
    }
}
