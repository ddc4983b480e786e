import Configuration
import Foundation
import Synchronization

/// The values of settings and their sources. The command line takes precedence over the environment, the environment
/// over the configuration file, the file over defaults.
struct Settings: Sendable {
    /// The source of a value.
    enum Source: String, Sendable, Hashable, Encodable, CaseIterable {
        case option, environment, file
        case defaultValue = "default"
    }

    struct Value: Sendable, Hashable {
        /// The value as text. Lists have one item per line.
        var text: String
        var source: Source
    }

    let file: ConfigurationFile?
    private let values: [Setting: Value]

    /// Creates settings.
    ///
    /// - Parameters:
    ///   - options: The values from the command line. Lists have one item per line.
    ///   - usesDefaults: Whether the server's defaults apply.
    init(
        options: [Setting: String], environment: [String: String], file: ConfigurationFile?,
        usesDefaults: Bool = false
    ) {
        self.file = file
        let recorder = SourceRecorder()
        // An empty variable counts as unset.
        var variables = environment.filter { !$0.value.isEmpty }
        variables["MEDIACACHE_CACHE"] = variables[Setting.cache.variable]
        var defaults: [Setting: String] = [:]
        if usesDefaults {
            for setting in Setting.allCases { defaults[setting] = setting.defaultValue }
        }
        let reader = ConfigReader(
            providers: [
                Self.provider(.option, options),
                EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "mediacache"),
                Self.provider(.file, file?.values ?? [:]),
                Self.provider(.defaultValue, defaults),
            ], accessReporter: recorder)
        var values: [Setting: Value] = [:]
        for setting in Setting.allCases {
            guard let text = reader.string(forKey: ConfigKey([setting.rawValue])) else { continue }
            values[setting] = Value(text: text, source: recorder.source)
        }
        self.values = values
    }

    /// The value of a setting.
    subscript(setting: Setting) -> Value? { values[setting] }

    /// Parses a setting.
    ///
    /// - Returns: The parsed value; nil if the setting has no value.
    /// - Throws: ``CommandFailure`` with the place of an invalid value.
    func read<Parsed>(_ setting: Setting, _ parse: (String) throws -> Parsed) throws -> Parsed? {
        guard let value = values[setting] else { return nil }
        return try addingPlace(of: setting) { try parse(value.text) }
    }

    /// Parses the items of a list.
    ///
    /// - Throws: As ``read(_:_:)``.
    func list<Parsed>(_ setting: Setting, _ parse: (String) throws -> Parsed) throws -> [Parsed] {
        guard let value = values[setting] else { return [] }
        return try addingPlace(of: setting) { try setting.items(of: value.text).map(parse) }
    }

    /// Parses a Boolean.
    ///
    /// - Throws: As ``read(_:_:)``.
    func flag(_ setting: Setting) throws -> Bool? { try read(setting, ConfigurationText.flag) }

    /// Parses an integer.
    ///
    /// - Throws: As ``read(_:_:)``.
    func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        try read(setting) { try ConfigurationText.number($0, in: range) }
    }

    /// Returns where a setting's value is set, for messages: an option, a variable, or a file and key.
    func sourceDescription(of setting: Setting) -> String {
        switch values[setting]?.source {
        case .option: setting.option
        case .environment: "$\(setting.variable)"
        case .file: "\(file?.path ?? ""): \(setting.rawValue)"
        case .defaultValue, nil: setting.rawValue
        }
    }

    /// Adds the place of the setting to errors from `body`.
    private func addingPlace<Parsed>(of setting: Setting, _ body: () throws -> Parsed) throws -> Parsed {
        do {
            return try body()
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "\(sourceDescription(of: setting)): \(error)")
        }
    }

    private static func provider(_ source: Source, _ values: [Setting: String]) -> InMemoryProvider {
        let pairs = values.map {
            (AbsoluteConfigKey([$0.rawValue]), ConfigValue(.string($1), isSecret: $0.isSecret))
        }
        return InMemoryProvider(name: source.rawValue, values: Dictionary(uniqueKeysWithValues: pairs))
    }
}

/// A reporter that records the source of the last value read.
private final class SourceRecorder: AccessReporter {
    private let last = Mutex(Settings.Source.defaultValue)

    var source: Settings.Source { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let provider = event.providerResults.first { (try? $0.result.get())?.value != nil }
        // The name of an in-memory provider contains its source in brackets. The environment provider's doesn't.
        let source = Settings.Source.allCases.first { provider?.providerName.contains("[\($0.rawValue)]") == true }
        last.withLock { $0 = source ?? .environment }
    }
}
