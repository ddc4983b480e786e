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
        /// Whether it was only a playlist that named them.
        var isPlaylists: Bool
    }

    private struct State {
        var profiles: HeaderProfiles
        var isChanged = false
        /// The last named last.
        var users: [Entry] = []
    }

    /// Where user information stood.
    enum Source {
        /// In a URL that was given to the command, the API or the server.
        case person
        /// In a playlist, which anybody may have written.
        case playlist
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

    /// Remembers a user of `url`'s origin. A name without a password may be of somebody who is known already. What a
    /// playlist says neither replaces a password that a person gave nor makes it forgotten.
    ///
    /// - Returns: by what to ask for their settings.
    @discardableResult
    func remember(
        _ credentials: Credentials, for url: ResourceURL, from source: Source = .person
    ) -> ProfileIdentity {
        let user = User(credentials.identity, of: url)
        let isPlaylists = source == .playlist || credentials.password == nil
        let told = Entry(user: user, authorization: credentials.authorization, isPlaylists: isPlaylists)
        state.withLock { state in
            let known = state.users.firstIndex { $0.user == user }.map { state.users.remove(at: $0) }
            let isKept = credentials.password == nil || (isPlaylists && known?.isPlaylists == false)
            state.users.append(isKept ? known ?? told : told)
            guard state.users.count > Self.capacity else { return }
            state.users.remove(at: state.users.dropLast().firstIndex(where: \.isPlaylists) ?? 0)
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
        // The caller's own come after it, and count.
        if let authorization { settings.headerProfiles.add([.authorization: authorization], as: nil, to: url) }
        settings.headerProfiles.add(fields, as: identity, to: url)
        return settings
    }

    /// The settings for one read of what a play URL names.
    func settings(for target: PlayTarget) -> TransferSettings? {
        let settings = settings(for: target.url, as: target.options.identity)
        guard target.options.isPublicOnly || target.options.isKeptOnly else { return settings }
        var scoped = settings ?? base
        scoped = scoped.narrowed(to: target.options.scope)
        if target.options.isKeptOnly { scoped.asksOrigins = false }
        return scoped
    }
}
