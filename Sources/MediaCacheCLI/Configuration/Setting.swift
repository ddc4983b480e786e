import Foundation

/// A setting of the server.
///
/// It has one name, written in the way of each place: `--allowed-host` on the command line, `MEDIACACHE_ALLOWED_HOST`
/// in the environment, `allowedHost` in the configuration file.
enum Setting: String, CaseIterable, Sendable {
    case cache, dropQuery, logLevel
    case host, port, allowedHost, allowNet, publicPath, publicRead, segmentsAhead, fastStart
    case maxSize, maxAge, minFree, maxObjectSize
    case jobs, transfers, limitRate
    case header, proxy, cookies, caFile, compareAlternatingTags

    /// How it's written in the configuration file.
    enum Form: Sendable {
        /// Text, or a bare number.
        case text
        /// A number.
        case number
        /// True or false.
        case flag
        /// An array of texts.
        case list
    }

    /// How it's written in the configuration file.
    var form: Form {
        switch self {
        case .allowedHost, .allowNet, .dropQuery, .header: .list
        case .port, .segmentsAhead, .jobs, .transfers: .number
        case .publicRead, .fastStart, .compareAlternatingTags: .flag
        default: .text
        }
    }

    /// Its name on the command line.
    var option: String { "--" + words.joined(separator: "-") }

    /// Its name in the environment. The cache folder's is older than the others.
    var variable: String {
        self == .cache ? "MEDIACACHE_DIR" : "MEDIACACHE_" + words.joined(separator: "_").uppercased()
    }

    /// The options that give `values`, in the order of the settings.
    static func options(of values: [Setting: String]) -> [String] {
        allCases.filter { values[$0] != nil }.map(\.option)
    }

    /// What the server goes by where nobody says anything; nil where that is nothing, or follows from the system.
    var standard: String? {
        switch self {
        case .logLevel: "warning"
        case .host: "127.0.0.1"
        case .port: "9479"
        case .publicRead, .fastStart, .compareAlternatingTags: "false"
        case .segmentsAhead: "2"
        case .maxSize: "10GB"
        case .maxAge: "30d"
        case .minFree: "1GB"
        default: nil
        }
    }

    /// Whether a reload of the server applies it.
    var isReloadable: Bool { self == .logLevel }

    /// Several values in one text: a line each. In most of them no comma can stand, so that one divides them, too.
    func items(of text: String) -> [String] {
        text.split { $0.isNewline || $0 == "," && self != .header }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private var words: [String] {
        var words = [""]
        for character in rawValue {
            if character.isUppercase { words.append("") }
            words[words.count - 1] += character.lowercased()
        }
        return words
    }
}
