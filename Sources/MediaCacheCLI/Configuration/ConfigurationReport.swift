import MediaCache
import MediaLibrary

/// What holds of each setting, and who says so, for people and programs.
struct ConfigurationReport: Encodable {
    /// A setting.
    struct Entry: Encodable {
        /// What it is, without what is secret; null where it's nothing.
        var value: ConfigurationValue
        /// Who says so.
        var source: Settings.Source
        /// Where it stands: an option, a variable, a file; null where nobody says anything.
        var place: String?
    }

    /// A channel that is recorded.
    struct ChannelItem: Encodable {
        var name: String
        /// Without a user's name and password.
        var url: String
        var place: String
    }

    /// The configuration file; null where there is none.
    var file: String?
    /// The settings by name.
    var settings: [String: Entry]
    /// The channels, in their order.
    var channels: [ChannelItem]
    /// Variables that look like settings, and are none.
    var unknownVariables: [String]

    /// What `configuration` says, when all of it is right.
    ///
    /// - Throws: ``CommandFailure``, naming who says what is wrong.
    init(_ configuration: ServeConfiguration) throws {
        let host = try configuration.hostSettings()
        _ = try host.originSettings
        let read = configuration.settings
        file = read.file?.path
        settings = Dictionary(
            uniqueKeysWithValues: Setting.allCases.map { setting in
                guard let value = read[setting] else {
                    return (setting.rawValue, Entry(value: Self.usual(setting, host), source: .standard))
                }
                let shown = setting.redacted(value.text)
                return (
                    setting.rawValue,
                    Entry(
                        value: setting.value(of: shown), source: value.source,
                        place: value.source == .standard ? nil : Self.place(of: setting, value.source, read))
                )
            })
        channels = host.channels.map {
            ChannelItem(
                name: $0.name.rawValue, url: $0.url.withoutUserInfo.description,
                place: configuration.channels.place(of: $0.name.rawValue))
        }
        unknownVariables = configuration.unknownVariables
    }

    /// A table of all that.
    var text: String {
        var table = Table([.init("SETTING"), .init("VALUE"), .init("FROM")])
        for setting in Setting.allCases {
            guard let entry = settings[setting.rawValue] else { continue }
            table.add([setting.rawValue, entry.value.shownText, entry.place ?? entry.source.rawValue])
        }
        for channel in channels { table.add(["channel \(channel.name)", channel.url, channel.place]) }
        return "Configuration file: \(file ?? "none")\n\n" + table.rendered()
    }

    /// What else there is to say.
    var notes: [String] {
        let names = Setting.allCases.map(\.variable) + [ConfigurationPath.variable, "MEDIACACHE_CHANNELS"]
        return unknownVariables.map { variable in
            let nearest = NearestName.nearest(to: variable, among: names).map { "; did you mean \($0)?" }
            return "\(variable) in the environment is no setting\(nearest ?? "")"
        }
    }

    private static func place(of setting: Setting, _ source: Settings.Source, _ settings: Settings) -> String {
        source == .file ? settings.file?.path ?? "" : settings.place(of: setting)
    }

    /// What follows from the system where nobody says anything.
    private static func usual(_ setting: Setting, _ host: HostSettings) -> ConfigurationValue {
        setting == .cache ? .text(CacheFolder.describe(host.location)) : setting.form == .list ? .list([]) : .null
    }
}

extension Setting {
    /// A text as the value that the configuration file would have.
    fileprivate func value(of text: String) -> ConfigurationValue {
        switch form {
        case .text: .text(text)
        case .list: .list(items(of: text).map(ConfigurationValue.text))
        case .number: Double(text).map(ConfigurationValue.number) ?? .text(text)
        case .flag: (try? ConfigurationText.flag(text)).map(ConfigurationValue.flag) ?? .text(text)
        }
    }
}

extension ConfigurationValue {
    /// For people; a hyphen where there is nothing.
    fileprivate var shownText: String {
        guard case .list(let items) = self else { return plainText ?? "-" }
        return items.isEmpty ? "-" : items.compactMap(\.plainText).joined(separator: ", ")
    }
}
