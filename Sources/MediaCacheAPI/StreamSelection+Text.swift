package import MediaLibrary

extension StreamSelection.Variants {
    /// The smallest number that is a bandwidth in bits per second. Smaller numbers are heights in pixels.
    private static let minimumBandwidth = 10_000

    /// Parses `best`, `worst`, `all`, a height or a bandwidth; nil for any other text.
    package init?(text: String) {
        switch text.lowercased() {
        case "best": self = .best
        case "worst": self = .worst
        case "all": self = .all
        default:
            guard let number = Int(text), number > 0 else { return nil }
            self = number < Self.minimumBandwidth ? .height(number) : .bandwidth(number)
        }
    }

    /// The text that ``init(text:)`` parses.
    package var text: String {
        switch self {
        case .best: "best"
        case .worst: "worst"
        case .all: "all"
        case .height(let number), .bandwidth(let number): "\(number)"
        }
    }
}

extension StreamSelection.Languages {
    /// Parses `standard`, `all`, `none`, or languages separated by commas; nil for any other text.
    package init?(text: String) {
        switch text.lowercased() {
        case "standard": self = .standard
        case "all": self = .all
        case "none": self = .none
        default:
            let languages = text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }
            let areTags = languages.allSatisfy { language in
                !language.isEmpty && language.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            }
            guard !languages.isEmpty, areTags else { return nil }
            self = .some(languages)
        }
    }

    /// The text that ``init(text:)`` parses.
    package var text: String {
        switch self {
        case .standard: "standard"
        case .all: "all"
        case .none: "none"
        case .some(let languages): languages.joined(separator: ",")
        }
    }
}
