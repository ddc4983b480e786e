import Configuration
import Foundation
import Synchronization

/// What holds of each setting, and who says so: the command line before the environment, that before the configuration
/// file, that before what is usual.
struct Settings: Sendable {
    /// Who says what a setting is.
    enum Source: String, Sendable, Hashable, Encodable, CaseIterable {
        case option, environment, file
        case standard = "default"
    }

    /// A setting's value.
    struct Value: Sendable, Hashable {
        /// As text; of a list a line each.
        var text: String
        /// Who says so.
        var source: Source
    }

    /// The configuration file; nil where there is none.
    let file: ConfigurationFile?
    private let values: [Setting: Value]

    /// Settings of what was given on the command line.
    ///
    /// - Parameters:
    ///   - options: what was given, of a list a line each.
    ///   - usesStandards: whether what nobody says anything about is as it is for a server.
    init(
        options: [Setting: String], environment: [String: String], file: ConfigurationFile?,
        usesStandards: Bool = false
    ) {
        self.file = file
        let recorder = SourceRecorder()
        // An empty variable is how services unset one.
        var variables = environment.filter { !$0.value.isEmpty }
        variables["MEDIACACHE_CACHE"] = variables[Setting.cache.variable]
        var standards: [Setting: String] = [:]
        if usesStandards {
            for setting in Setting.allCases { standards[setting] = setting.standard }
        }
        let reader = ConfigReader(
            providers: [
                Self.provider(.option, options),
                EnvironmentVariablesProvider(environmentVariables: variables).prefixKeys(with: "mediacache"),
                Self.provider(.file, file?.values ?? [:]),
                Self.provider(.standard, standards),
            ], accessReporter: recorder)
        var values: [Setting: Value] = [:]
        for setting in Setting.allCases {
            guard let text = reader.string(forKey: ConfigKey([setting.rawValue])) else { continue }
            values[setting] = Value(text: text, source: recorder.source)
        }
        self.values = values
    }

    /// The value of a setting; nil where nobody says anything.
    subscript(setting: Setting) -> Value? { values[setting] }

    /// Reads a setting.
    ///
    /// - Returns: nil where nobody says anything.
    /// - Throws: ``CommandFailure`` that names who says what is wrong.
    func read<Parsed>(_ setting: Setting, _ parse: (String) throws -> Parsed) throws -> Parsed? {
        guard let value = values[setting] else { return nil }
        return try naming(setting, value) { try parse(value.text) }
    }

    /// Reads each item of a list.
    ///
    /// - Throws: as ``read(_:_:)``.
    func list<Parsed>(_ setting: Setting, _ parse: (String) throws -> Parsed) throws -> [Parsed] {
        guard let value = values[setting] else { return [] }
        return try naming(setting, value) { try setting.items(of: value.text).map(parse) }
    }

    /// Reads true or false.
    ///
    /// - Throws: as ``read(_:_:)``.
    func flag(_ setting: Setting) throws -> Bool? { try read(setting, ConfigurationText.flag) }

    /// Reads a whole number.
    ///
    /// - Throws: as ``read(_:_:)``.
    func number(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int? {
        try read(setting) { try ConfigurationText.number($0, in: range) }
    }

    /// Where a setting's value stands, for messages.
    func place(of setting: Setting) -> String {
        switch values[setting]?.source {
        case .option: setting.option
        case .environment: "$\(setting.variable)"
        case .file: "\(file?.path ?? ""): \(setting.rawValue)"
        case .standard, nil: setting.rawValue
        }
    }

    private func naming<Parsed>(_ setting: Setting, _ value: Value, _ body: () throws -> Parsed) throws -> Parsed {
        do {
            return try body()
        } catch let error as ArgumentTextError {
            throw CommandFailure(.usage, "\(place(of: setting)): \(error)")
        }
    }

    private static func provider(_ source: Source, _ values: [Setting: String]) -> InMemoryProvider {
        let pairs = values.map {
            (AbsoluteConfigKey([$0.rawValue]), ConfigValue(.string($1), isSecret: $0.isSecret))
        }
        return InMemoryProvider(name: source.rawValue, values: Dictionary(uniqueKeysWithValues: pairs))
    }
}

/// Who gave the value that was read last.
private final class SourceRecorder: AccessReporter {
    private let last = Mutex(Settings.Source.standard)

    var source: Settings.Source { last.withLock { $0 } }

    func report(_ event: AccessEvent) {
        let giver = event.providerResults.first { (try? $0.result.get())?.value != nil }
        // The environment's provider is the only one whose name isn't ours. The others stand within their kind's name.
        let source = Settings.Source.allCases.first { giver?.providerName.contains("[\($0.rawValue)]") == true }
        last.withLock { $0 = source ?? .environment }
    }
}
