import MediaCache
import MediaCacheServer
import MediaLibrary

/// The effective settings and their sources.
struct ConfigurationReport: Encodable {
    struct Entry: Encodable {
        /// The value, without secrets.
        var value: ConfigurationValue
        var source: Settings.Source
        /// The option, variable or file that sets the value; nil for a stored value and for a default.
        var place: String?
    }

    struct ChannelItem: Encodable {
        var name: String
        var url: String
        var place: String
    }

    /// The path of the configuration file; nil without one.
    var file: String?
    var settings: [String: Entry]
    var channels: [ChannelItem]
    var unknownVariables: [String]

    init(_ configuration: ServeConfiguration) throws {
        let host = try configuration.hostSettings()
        let read = configuration.settings
        file = read.file?.path
        let stored = try SettingsReport(of: host, stored: StoredSettings(at: host.location)).values
        let unchanged = try SettingsReport(of: host, stored: StoredSettings()).values
        settings = Dictionary(
            uniqueKeysWithValues: Setting.allCases.map { setting in
                if let value = stored[setting], value != unchanged[setting] {
                    return (setting.rawValue, Entry(value: setting.value(of: value), source: .stored))
                }
                guard let value = read[setting], setting != .host || value.source != .defaultValue else {
                    return (setting.rawValue, Entry(value: Self.systemDefault(setting, host), source: .defaultValue))
                }
                let shown = setting.redacted(value.text)
                return (
                    setting.rawValue,
                    Entry(
                        value: setting.value(of: shown), source: value.source,
                        place: value.source == .defaultValue
                            ? nil : Self.sourceDescription(of: setting, value.source, read))
                )
            })
        channels = host.channels.map {
            ChannelItem(
                name: $0.name.rawValue, url: $0.url.withoutUserInfo.description,
                place: configuration.channels.sourceDescription(of: $0.name.rawValue))
        }
        unknownVariables = configuration.unknownVariables
    }

    var text: String {
        var table = Table([.init("SETTING"), .init("VALUE"), .init("FROM")])
        for setting in Setting.allCases {
            guard let entry = settings[setting.rawValue] else { continue }
            table.add([setting.rawValue, entry.value.shownText, entry.place ?? entry.source.rawValue])
        }
        for channel in channels { table.add(["channel \(channel.name)", channel.url, channel.place]) }
        return "Configuration file: \(file ?? "none")\n\n" + table.rendered()
    }

    var notes: [String] {
        let names = Setting.allCases.map(\.variable) + [ConfigurationPath.variable, "MEDIACACHE_CHANNELS"]
        return unknownVariables.map { variable in
            let nearest = NearestName.nearest(to: variable, among: names).map { "; did you mean \($0)?" }
            return "\(variable) in the environment is not a setting\(nearest ?? "")"
        }
    }

    private static func sourceDescription(of setting: Setting, _ source: Settings.Source, _ settings: Settings)
        -> String
    {
        source == .file ? settings.file?.path ?? "" : settings.sourceDescription(of: setting)
    }

    private static func systemDefault(_ setting: Setting, _ host: HostSettings) -> ConfigurationValue {
        switch setting {
        case .cache: .text(CacheFolder.describe(host.location))
        // With --lan, the server listens on all addresses.
        case .host: .text(host.host)
        default: setting.form == .list ? .list([]) : .null
        }
    }
}

extension Setting {
    /// Returns the value that a configuration file would contain for a text.
    func value(of text: String) -> ConfigurationValue {
        switch form {
        case .text: .text(text)
        case .list: .list(items(of: text).map(ConfigurationValue.text))
        case .number: Double(text).map(ConfigurationValue.number) ?? .text(text)
        case .flag: (try? ConfigurationText.flag(text)).map(ConfigurationValue.flag) ?? .text(text)
        }
    }
}

extension ConfigurationValue {
    /// The value as text; a hyphen if there is none.
    fileprivate var shownText: String {
        guard case .list(let items) = self else { return plainText ?? "-" }
        return items.isEmpty ? "-" : items.compactMap(\.plainText).joined(separator: ", ")
    }
}
