import Synchronization

/// Where a resource is asked for now: the URL it was named by, the one a refresher gave, or the one the last redirect
/// led to.
package final class ResourceLocator: Sendable {
    /// How long the target of a redirect is asked directly. Such URLs are often signed for minutes.
    private static let redirectLifetime = Duration.seconds(30)

    private struct State {
        var url: ResourceURL
        var redirected: (target: ResourceURL, scope: AddressScope, until: Duration)?
    }

    private let state: Mutex<State>

    package init(url: ResourceURL) {
        state = Mutex(State(url: url))
    }

    /// The URL that names the resource.
    package var url: ResourceURL { state.withLock { $0.url } }

    /// A later request's URL for the same key, with a newer token perhaps, or a refreshed one.
    package func update(url: ResourceURL) {
        state.withLock { state in
            guard state.url != url else { return }
            state.url = url
            state.redirected = nil
        }
    }

    /// Where to ask, and what addresses that may be at.
    func target(scope: AddressScope, now: Duration) -> (url: ResourceURL, scope: AddressScope, isRedirected: Bool) {
        state.withLock { state in
            if let redirected = state.redirected, now < redirected.until {
                return (redirected.target, redirected.scope, true)
            }
            return (state.url, scope, false)
        }
    }

    func remember(redirect target: ResourceURL, scope: AddressScope, now: Duration) {
        state.withLock { $0.redirected = (target, scope, now + Self.redirectLifetime) }
    }

    func forgetRedirect() {
        state.withLock { $0.redirected = nil }
    }
}
