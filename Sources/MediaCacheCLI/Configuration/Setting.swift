import Foundation

/// A setting of the server.
///
/// Its name has three spellings: `--allowed-host` on the command line, `MEDIACACHE_ALLOWED_HOST` in the environment,
/// `allowedHost` in the configuration file. The variable of ``cache`` is `MEDIACACHE_DIR`.
enum Setting: String, CaseIterable, Sendable {
    case cache, dropQuery, logLevel
    case host, lan, port, allowedHost, allowNet, publicPath, publicRead, segmentsAhead, fastStart
    case maxSize, maxAge, minFree, maxObjectSize, maxDuration
    case metered
    case jobs, transfers, limitRate, limitTotalRate, limitClassRate
    case hours, onlyUnmetered, onlyCharging, sparePower, downloadReserve
    case connectTimeout, responseTimeout, stallTimeout, retries, readAhead
    case header, proxy, cookies, netrc, caFile, compareAlternatingTags

    /// The type of a value in the configuration file.
    enum Form: Sendable {
        /// A string or a number.
        case text
        /// A number, or a string that contains one.
        case number
        /// A Boolean.
        case flag
        /// An array of strings, or a string as in the environment.
        case list
    }

    var form: Form {
        switch self {
        case .allowedHost, .allowNet, .dropQuery, .limitClassRate, .header: .list
        case .port, .segmentsAhead, .jobs, .transfers, .retries: .number
        case .lan, .publicRead, .fastStart, .metered, .compareAlternatingTags, .onlyUnmetered, .onlyCharging,
            .sparePower:
            .flag
        default: .text
        }
    }

    var option: String { "--" + Self.variableName(rawValue).lowercased().replacing("_", with: "-") }

    var variable: String {
        self == .cache ? "MEDIACACHE_DIR" : "MEDIACACHE_" + Self.variableName(rawValue)
    }

    /// Returns the options that set the given values, in the order of the settings.
    static func options(of values: [Setting: String]) -> [String] {
        allCases.filter { values[$0] != nil }.map(\.option)
    }

    /// The server's default; nil for none, or if the system or the cache folder determines it.
    var defaultValue: String? {
        switch self {
        case .logLevel: "warning"
        case .host: "127.0.0.1"
        case .port: "9479"
        case .lan, .publicRead, .fastStart, .metered, .compareAlternatingTags: "false"
        case .segmentsAhead: "2"
        case .maxSize: "10GB"
        case .maxAge: "30d"
        case .minFree: "1GB"
        case .connectTimeout: "10s"
        case .responseTimeout: "20s"
        case .stallTimeout: "15s"
        case .retries: "4"
        case .readAhead: "8MiB"
        default: nil
        }
    }

    /// Whether a change of the setting applies without a restart.
    var isReloadable: Bool { self == .logLevel || isChangeable }

    /// Whether the API changes the setting while a server is running.
    var isChangeable: Bool {
        switch self {
        case .maxSize, .maxAge, .minFree, .jobs, .transfers, .limitRate, .limitTotalRate, .limitClassRate,
            .hours, .onlyUnmetered, .onlyCharging, .sparePower, .downloadReserve, .connectTimeout, .responseTimeout,
            .stallTimeout, .retries, .readAhead:
            true
        default: false
        }
    }

    /// Returns the items of a list, separated by line breaks or, except for header fields, by commas.
    func items(of text: String) -> [String] {
        text.split { $0.isNewline || $0 == "," && self != .header }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Returns the spelling of a name in the environment: `maxSize` is `MAX_SIZE`, `my-news` is `MY_NEWS`.
    static func variableName(_ name: String) -> String {
        var text = ""
        var isLower = false
        for character in name {
            if isLower, character.isUppercase { text += "_" }
            isLower = character.isLowercase
            text += character.isLetter || character.isNumber ? character.uppercased() : "_"
        }
        return text
    }
}
