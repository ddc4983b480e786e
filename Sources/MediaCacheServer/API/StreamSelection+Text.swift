package import MediaLibrary

extension StreamSelection.Variants {
    /// Numbers below this are heights in pixels, others bandwidths in bits per second.
    private static let leastBandwidth = 10_000

    /// Reads `best`, `worst`, `all`, a height or a bandwidth; nil for what is none of these.
    package init?(text: String) {
        switch text.lowercased() {
        case "best": self = .best
        case "worst": self = .worst
        case "all": self = .all
        default:
            guard let number = Int(text), number > 0 else { return nil }
            self = number < Self.leastBandwidth ? .height(number) : .bandwidth(number)
        }
    }

    /// The text that is read as this.
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
    /// Reads `standard`, `all`, `none`, or languages with commas between; nil for what can be none.
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

    /// The text that is read as this.
    package var text: String {
        switch self {
        case .standard: "standard"
        case .all: "all"
        case .none: "none"
        case .some(let languages): languages.joined(separator: ",")
        }
    }
}

extension StreamSelection {
    /// What a request names; what it doesn't is the standard.
    ///
    /// - Throws: ``Problem`` for what can't be read.
    init(_ wanted: DownloadAddition) throws {
        self.init()
        if let text = wanted.variant {
            guard let variants = Variants(text: text) else {
                throw Problem.badRequest("variant is best, worst, all, a height or a bandwidth, not “\(text)”")
            }
            self.variants = variants
        }
        audio = try Self.languages(wanted.audio, "audio") ?? audio
        subtitles = try Self.languages(wanted.subtitles, "subtitles") ?? subtitles
    }

    private static func languages(_ text: String?, _ name: String) throws -> Languages? {
        guard let text else { return nil }
        if let languages = Languages(text: text) { return languages }
        throw Problem.badRequest("\(name) is standard, all, none or languages with commas between, not “\(text)”")
    }
}
