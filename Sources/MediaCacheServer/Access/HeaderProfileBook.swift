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
            origin = "\(url.scheme)://\(url.authority)"
            self.identity = identity
        }
    }

    private struct State {
        var profiles: HeaderProfiles
        var isChanged = false
        /// The value of `Authorization` of each user, the last named last.
        var users: [(user: User, authorization: String)] = []
    }

    /// Users that are remembered; each is somebody's who has the access key.
    private static let capacity = 256

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

    /// Remembers a user of `url`'s origin. A name without a password may be of somebody who is known already.
    ///
    /// - Returns: by what to ask for their settings.
    func remember(_ credentials: Credentials, for url: ResourceURL) -> ProfileIdentity {
        let user = User(credentials.identity, of: url)
        state.withLock { state in
            let known = state.users.firstIndex { $0.user == user }.map { state.users.remove(at: $0) }
            let authorization = credentials.password == nil ? known?.authorization : nil
            state.users.append((user, authorization ?? credentials.authorization))
            if state.users.count > Self.capacity { state.users.removeFirst() }
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
        guard identity != nil || profiles != nil || !fields.isEmpty else { return nil }
        var settings = base
        settings.headerProfiles = profiles ?? base.headerProfiles
        guard identity != nil || !fields.isEmpty else { return settings }
        var profile = settings.headerProfiles[url] ?? HeaderProfiles.Profile()
        if let authorization { profile.fields[.authorization] = authorization }
        if let identity { profile.identity = identity }
        for field in fields { profile.fields[field.name] = field.value }
        settings.headerProfiles[url] = profile
        return settings
    }

    /// The settings for one read of what a play URL names.
    func settings(for target: PlayTarget) -> TransferSettings? {
        let settings = settings(for: target.url, as: target.options.identity)
        guard target.options.isPublicOnly else { return settings }
        var scoped = settings ?? base
        scoped.scope = .publicOnly
        return scoped
    }
}
