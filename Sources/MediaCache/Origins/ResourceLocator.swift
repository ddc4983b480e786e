import Synchronization

/// Where a resource is asked for now: the URL it was named by, the one a refresher gave, or the one the last redirect
/// led to.
package final class ResourceLocator: Sendable {
    /// How long the target of a redirect is asked directly. Such URLs are often signed for minutes.
    private static let redirectLifetime = Duration.seconds(30)

    private struct State {
        var url: ResourceURL
        /// The scope of what named ``url``, where that is another than the request's.
        var scope = AddressScope.any
        var redirected: (target: ResourceURL, scope: AddressScope, until: Duration)?
    }

    private let state: Mutex<State>

    package init(url: ResourceURL) {
        state = Mutex(State(url: url))
    }

    /// The URL that names the resource.
    package var url: ResourceURL { state.withLock { $0.url } }

    /// Replaces the URL by a later request's for the same key, with a newer token perhaps, or by a refreshed one.
    ///
    /// - Parameter scope: the scope of the document that named a refreshed URL.
    package func update(url: ResourceURL, scope: AddressScope = .any) {
        state.withLock { state in
            guard state.url != url else {
                state.scope = state.scope.narrowed(to: scope)
                return
            }
            state.url = url
            state.scope = scope
            state.redirected = nil
        }
    }

    /// Where to ask, and the scope of the document or redirect that named it.
    func target(now: Duration) -> (url: ResourceURL, scope: AddressScope, isRedirected: Bool) {
        state.withLock { state in
            if let redirected = state.redirected, now < redirected.until {
                return (redirected.target, redirected.scope, true)
            }
            return (state.url, state.scope, false)
        }
    }

    /// Remembers where redirects led to.
    ///
    /// - Parameter scope: the scope of the redirects, whatever the scope of the request that followed them.
    func remember(redirect target: ResourceURL, scope: AddressScope, now: Duration) {
        state.withLock { $0.redirected = (target, scope, now + Self.redirectLifetime) }
    }

    func forgetRedirect() {
        state.withLock { $0.redirected = nil }
    }
}
