import Foundation
import HTTPTypes
import MediaCache
import Synchronization

/// What goes to origins while the server runs, over what the store was opened with: header profiles, each for a whole
/// origin, and the credentials that URLs named, each for what is asked in that user's name alone.
final class HeaderProfileBook: Sendable {
    /// A user of an origin.
    private struct User: Hashable {
        var origin: String
        var identity: ProfileIdentity

        init(_ identity: ProfileIdentity, of url: ResourceURL) {
            origin = url.origin
            self.identity = identity
        }
    }

    /// What is known of a user.
    private struct Entry {
        var user: User
        /// The value of `Authorization`.
        var authorization: String
        /// Whether no person has given the password.
        var isUntrusted: Bool
    }

    private struct State {
        var profiles: HeaderProfiles
        var isChanged = false
        /// The last named last.
        var users: [Entry] = []
    }

    /// The source of user information.
    enum Source {
        /// A URL given to the command, the API or the server.
        case person
        /// A playlist or a play URL, which may have been written by an origin or by the holder of a token.
        case untrusted
    }

    /// The identity of anonymous requests to an origin where the owner has credentials.
    private static let anonymous = ProfileIdentity(user: "\0anonymous")

    /// Users that are remembered; each is somebody's who has the access key.
    private static let capacity = 256

    private let base: TransferSettings
    /// Whether ``base`` differs from the store's settings, so that each read needs settings of its own.
    private let isNarrowed: Bool
    private let state: Mutex<State>

    /// Creates a book.
    ///
    /// - Parameters:
    ///   - base: the settings without any user or changed profile.
    ///   - storeScope: the scope of the store's own settings; nil if `base` has it.
    init(base: TransferSettings, storeScope: AddressScope? = nil) {
        self.base = base
        isNarrowed = base.scope != storeScope ?? base.scope
        state = Mutex(State(profiles: base.headerProfiles))
    }

    /// Sets the profile of `origin`; nil removes it.
    func set(_ profile: HeaderProfiles.Profile?, for origin: ResourceURL) {
        state.withLock {
            $0.profiles[origin] = profile
            $0.isChanged = true
        }
    }

    /// Remembers a user of `url`'s origin. A name without a password may belong to a user who is known already. An
    /// untrusted source neither replaces nor evicts a password that a person gave.
    ///
    /// - Returns: the identity for ``settings(for:as:fields:)``.
    @discardableResult
    func remember(
        _ credentials: Credentials, for url: ResourceURL, from source: Source = .person
    ) -> ProfileIdentity {
        let user = User(credentials.identity, of: url)
        let isUntrusted = source == .untrusted || credentials.password == nil
        let told = Entry(user: user, authorization: credentials.authorization, isUntrusted: isUntrusted)
        state.withLock { state in
            let known = state.users.firstIndex { $0.user == user }.map { state.users.remove(at: $0) }
            let isKept = credentials.password == nil || (isUntrusted && known?.isUntrusted == false)
            state.users.append(isKept ? known ?? told : told)
            guard state.users.count > Self.capacity else { return }
            state.users.remove(at: state.users.dropLast().firstIndex(where: \.isUntrusted) ?? 0)
        }
        return user.identity
    }

    /// In whose name `url` is asked for: whom it names. Where it names nobody, and all that is kept of it is a user's and
    /// complete, in that user's, since it need not be asked for.
    func identity(for url: ResourceURL, in store: CacheStore) async throws -> ProfileIdentity? {
        if let credentials = url.credentials { return remember(credentials, for: url) }
        guard let info = try await store.resource(for: url), info.isComplete else { return nil }
        return info.identity
    }

    /// The settings for one read of `url`, or nil for the store's own, which is the common case and costs nothing.
    ///
    /// - Parameters:
    ///   - identity: in whose name it's read; whether their password is known or not, what is kept for them is found.
    ///   - fields: header fields of the caller's own.
    func settings(
        for url: ResourceURL, as identity: ProfileIdentity? = nil, fields: HTTPFields = [:]
    ) -> TransferSettings? {
        let user = identity.map { User($0, of: url) }
        let (profiles, authorization) = state.withLock { state in
            (
                state.isChanged ? state.profiles : nil,
                user.flatMap { user in state.users.first { $0.user == user }?.authorization }
            )
        }
        guard identity != nil || profiles != nil || !fields.isEmpty || isNarrowed else { return nil }
        var settings = base
        settings.headerProfiles = profiles ?? base.headerProfiles
        guard identity != nil || !fields.isEmpty else { return settings }
        // The caller's own come after it, and count.
        if let authorization { settings.headerProfiles.add([.authorization: authorization], as: nil, to: url) }
        settings.headerProfiles.add(fields, as: identity, to: url)
        return settings
    }

    /// Returns the settings for one read of the target of a play URL; nil for the store's own.
    ///
    /// A signed URL sends credentials to its own origin alone, also after redirects, and an anonymous one to none. Where
    /// the owner's requests have credentials, an anonymous one also has a cache key of its own: neither cached bytes nor
    /// a response under way to the owner are given to it.
    func settings(for target: PlayTarget) -> TransferSettings? {
        let settings = settings(for: target.url, as: target.options.identity)
        let isSigned = target.options.signature != nil
        guard target.options.isPublicOnly || target.options.isKeptOnly || isSigned else { return settings }
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
        if target.options.isKeptOnly { scoped.asksOrigins = false }
        return scoped
    }
}
