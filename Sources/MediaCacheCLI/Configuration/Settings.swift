import Foundation

/// The values of settings and their sources. The command line takes precedence over the environment, the environment
/// over the configuration file, the file over defaults.
struct Settings: Sendable {
    enum Source: String, Sendable, Hashable, Encodable {
        case option, environment, file
        /// Changed by `settings` or the API, and stored in the cache folder.
        case stored
        case defaultValue = "default"
    }

    struct Value: Sendable, Hashable {
        /// The value as text. Lists are in the syntax of ``Setting/items(of:)``.
        var text: String
        var source: Source
    }

    let file: ConfigurationFile?
    private let values: [Setting: Value]

    /// - Parameter usesDefaults: Whether the server's defaults apply.
    init(
        options: [Setting: String], environment: [String: String], file: ConfigurationFile?,
        usesDefaults: Bool = false
    ) {
        self.file = file
        var values: [Setting: Value] = [:]
        for setting in Setting.allCases {
            // An empty variable counts as unset.
            let variable = environment[setting.variable].flatMap { $0.isEmpty ? nil : $0 }
            let found: [(Source, String?)] = [
                (.option, options[setting]), (.environment, variable), (.file, file?.values[setting]),
                (.defaultValue, usesDefaults ? setting.defaultValue : nil),
            ]
            values[setting] =
                found.lazy.compactMap { source, text in text.map { Value(text: $0, source: source) } }.first
        }
        self.values = values
    }

    private init(file: ConfigurationFile?, values: [Setting: Value]) {
        self.file = file
        self.values = values
    }

    /// The settings without the values that are defaults.
    var withoutDefaults: Settings {
        Settings(file: file, values: values.filter { $0.value.source != .defaultValue })
    }

    subscript(setting: Setting) -> Value? { values[setting] }

    /// Returns the parsed value of a setting; nil without a value. Errors name the place of an invalid value.
    func read<Parsed>(_ setting: Setting, _ parse: (String) throws -> Parsed) throws -> Parsed? {
        guard let value = values[setting] else { return nil }
        return try addingPlace(of: setting) { try parse(value.text) }
    }

    func list<Parsed>(_ setting: Setting, _ parse: (String) throws -> Parsed) throws -> [Parsed] {
        guard let value = values[setting] else { return [] }
        return try addingPlace(of: setting) { try setting.items(of: value.text).map(parse) }
    }

    func flag(_ setting: Setting) throws -> Bool? { try read(setting, ConfigurationText.flag) }

    func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        try read(setting) { try ConfigurationText.number($0, in: range) }
    }

    /// Returns where a setting's value is set, for messages: an option, a variable, or a file and key.
    func sourceDescription(of setting: Setting) -> String {
        switch values[setting]?.source {
        case .option: setting.option
        case .environment: "$\(setting.variable)"
        case .file: "\(file?.path ?? ""): \(setting.rawValue)"
        case .stored, .defaultValue, nil: setting.rawValue
        }
    }

    private func addingPlace<Parsed>(of setting: Setting, _ body: () throws -> Parsed) throws -> Parsed {
        do {
            return try body()
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "\(sourceDescription(of: setting)): \(error)")
        }
    }
}
