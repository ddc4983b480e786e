import Foundation
import HTTPTypes
import MediaCache
import Synchronization

/// The header profiles and credentials that the running server adds to origin requests. The profiles are those of the
/// store's settings, with the changes since the start. A header profile applies to a whole origin. Credentials come
/// from URLs and apply only to requests of their user.
final class HeaderProfileStore: Sendable {
    private struct User: Hashable {
        var origin: String
        var identity: ProfileIdentity

        init(_ identity: ProfileIdentity, of url: ResourceURL) {
            origin = url.origin
            self.identity = identity
        }
    }

    /// The credentials of a user.
    private struct Entry {
        var user: User
        var authorization: String
        /// Whether the password is missing or from an untrusted source.
        var isUntrusted: Bool
    }

    private struct State {
        var profiles: HeaderProfiles
        var isChanged = false
        /// The users, in the order in which they were last remembered.
        var users: [Entry] = []
    }

    /// The source of user information.
    enum Source {
        /// A URL that the user gave to the command, the API or the server.
        case user
        /// A playlist or a play URL, which may have been written by an origin or by the holder of a token.
        case untrusted
    }

    /// The identity of anonymous requests to an origin for which the owner has credentials.
    private static let anonymous = ProfileIdentity(user: "\0anonymous")

    /// The maximum number of remembered users.
    private static let capacity = 256

    private let makeBase: @Sendable () -> TransferSettings
    var base: TransferSettings { makeBase() }
    /// Whether ``base`` has a narrower scope than the store, so that every read needs explicit settings.
    private let isNarrowed: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - base: The settings without users and changed profiles. Evaluated for each request, because they can change.
    ///   - storeScope: The scope of the store's own settings; nil if `base` has it.
    init(base makeBase: @escaping @autoclosure @Sendable () -> TransferSettings, storeScope: AddressScope? = nil) {
        self.makeBase = makeBase
        let base = makeBase()
        isNarrowed = base.scope != storeScope ?? base.scope
        state = Mutex(State(profiles: base.headerProfiles))
    }

    func set(_ profile: HeaderProfiles.Profile?, for origin: ResourceURL) {
        state.withLock {
            $0.profiles[origin] = profile
            $0.isChanged = true
        }
    }

    /// Remembers a user of `url`'s origin, and returns the user's identity. Credentials without a password don't
    /// replace a remembered password. An untrusted source neither replaces nor evicts a password that the user gave.
    @discardableResult
    func remember(
        _ credentials: Credentials, for url: ResourceURL, from source: Source = .user
    ) -> ProfileIdentity {
        let user = User(credentials.identity, of: url)
        let isUntrusted = source == .untrusted || credentials.password == nil
        let new = Entry(user: user, authorization: credentials.authorization, isUntrusted: isUntrusted)
        state.withLock { state in
            let existing = state.users.firstIndex { $0.user == user }.map { state.users.remove(at: $0) }
            let usesExisting = credentials.password == nil || (isUntrusted && existing?.isUntrusted == false)
            state.users.append(usesExisting ? existing ?? new : new)
            guard state.users.count > Self.capacity else { return }
            state.users.remove(at: state.users.firstIndex(where: \.isUntrusted) ?? 0)
        }
        return user.identity
    }

    /// Returns the user for a read of `url`: the user in the URL, or otherwise the user of a complete cached resource,
    /// which is read without an origin request.
    func identity(for url: ResourceURL, in store: CacheStore) async throws -> ProfileIdentity? {
        if let credentials = url.credentials { return remember(credentials, for: url) }
        guard let info = try await store.resource(for: url), info.isComplete else { return nil }
        return info.identity
    }

    /// Returns the settings for one read of `url`; nil if the store's own apply.
    ///
    /// - Parameters:
    ///   - identity: The user. Data cached for the user is found even if the password isn't known.
    ///   - fields: Additional header fields, which take precedence.
    func settings(
        for url: ResourceURL, as identity: ProfileIdentity? = nil, fields: HTTPFields = [:]
    ) -> TransferSettings? {
        let user = identity.map { User($0, of: url) }
        let (profiles, authorization) = state.withLock { state in
            let entry = user.flatMap { user in state.users.first { $0.user == user } }
            return (state.isChanged ? state.profiles : nil, entry?.authorization)
        }
        guard identity != nil || profiles != nil || !fields.isEmpty || isNarrowed else { return nil }
        var settings = base
        settings.headerProfiles = profiles ?? base.headerProfiles
        guard identity != nil || !fields.isEmpty else { return settings }
        if let authorization { settings.headerProfiles.add([.authorization: authorization], as: nil, to: url) }
        settings.headerProfiles.add(fields, as: identity, to: url)
        return settings
    }

    /// Returns the settings for one read of the target of a play URL; nil for the store's own.
    ///
    /// A signed URL sends credentials only to its own origin, even after redirects; an anonymous URL sends none. If the
    /// owner's requests carry credentials, anonymous requests use a separate cache key. They share neither cached bytes
    /// nor running fills with the owner.
    func settings(for target: PlayTarget) -> TransferSettings? {
        let settings = settings(for: target.url, as: target.options.identity)
        let isSigned = target.options.signature != nil
        guard target.options.isPublicOnly || target.options.isCachedOnly || isSigned else { return settings }
        var scoped = settings ?? base
        scoped = scoped.narrowed(to: target.options.scope)
        if isSigned {
            let now = Date()
            let isPrivate = scoped.hasCredentials(for: target.url, now: now)
            scoped = scoped.sendingCredentials(onlyTo: target.options.isAnonymous ? nil : target.url, now: now)
            if target.options.isAnonymous, isPrivate {
                scoped.headerProfiles[target.url] = HeaderProfiles.Profile(identity: Self.anonymous)
            }
        }
        if target.options.isCachedOnly { scoped.allowsOriginRequests = false }
        return scoped
    }
}
