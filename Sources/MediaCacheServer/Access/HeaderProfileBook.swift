import HTTPTypes
import MediaCache
import Synchronization

/// The header profiles that callers set while the server runs, over those the store was opened with.
final class HeaderProfileBook: Sendable {
    private struct State {
        var profiles: HeaderProfiles
        var isChanged = false
    }

    private let base: TransferSettings
    private let state: Mutex<State>

    /// A book over the settings that the store was opened with.
    init(base: TransferSettings) {
        self.base = base
        state = Mutex(State(profiles: base.headerProfiles))
    }

    /// Sets the profile of `origin`; nil removes it.
    func set(_ profile: HeaderProfiles.Profile?, for origin: ResourceURL) {
        state.withLock {
            $0.profiles[origin] = profile
            $0.isChanged = true
        }
    }

    /// The settings for one read of `url`, or nil for the store's own, which is the common case and costs nothing.
    func settings(for url: ResourceURL, userInfo: String?) -> TransferSettings? {
        let profiles = state.withLock { $0.isChanged ? $0.profiles : nil }
        guard userInfo != nil || profiles != nil else { return nil }
        var settings = base
        settings.headerProfiles = profiles ?? base.headerProfiles
        if let userInfo { settings.headerProfiles[url] = Self.basic(userInfo, over: settings.headerProfiles[url]) }
        return settings
    }

    /// The settings for one read of what a play URL names.
    func settings(for target: PlayTarget) -> TransferSettings? {
        let settings = settings(for: target.url, userInfo: target.userInfo)
        guard target.options.isPublicOnly else { return settings }
        var scoped = settings ?? base
        scoped.scope = .publicOnly
        return scoped
    }

    /// The settings for a read whose caller gave header fields of its own.
    func settings(for url: ResourceURL, userInfo: String?, fields: HTTPFields) -> TransferSettings? {
        guard !fields.isEmpty else { return settings(for: url, userInfo: userInfo) }
        var settings = settings(for: url, userInfo: userInfo) ?? base
        var profile = settings.headerProfiles[url] ?? HeaderProfiles.Profile(fields: [:])
        for field in fields { profile.fields[field.name] = field.value }
        settings.headerProfiles[url] = profile
        return settings
    }

    /// A profile with basic authentication (RFC 7617). The user's name, not the password, tells users apart.
    static func basic(_ userInfo: String, over profile: HeaderProfiles.Profile? = nil) -> HeaderProfiles.Profile {
        var profile = profile ?? HeaderProfiles.Profile(fields: [:])
        profile.fields[.authorization] = "Basic \(Base64.encode(userInfo.utf8))"
        profile.identity = String(userInfo.prefix { $0 != ":" })
        return profile
    }
}
