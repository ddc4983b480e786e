package import Foundation
package import HTTPTypes
import Synchronization

/// The dependencies of requests to an origin.
package struct OriginContext: Sendable {
    package var origin: any Origin
    package var time: any TimeSource
    package var settings: TransferSettings
    package var counters: Counters
    /// The traffic coordinator, to which latencies are reported; nil for none.
    package var traffic: Traffic?
    /// A random number in `0..<1`, for jitter.
    package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }

    package init(
        origin: any Origin,
        time: any TimeSource,
        settings: TransferSettings,
        counters: Counters,
        traffic: Traffic? = nil
    ) {
        self.origin = origin
        self.time = time
        self.settings = settings
        self.counters = counters
        self.traffic = traffic
    }
}

/// A GET request with its redirects. The header profile of an origin is sent only to that origin. The scope of a
/// redirected request depends on the address that sent the redirect.
struct OriginExchange {
    var context: OriginContext
    var locator: ResourceLocator

    /// Sends the request, and follows and remembers redirects. Returns the response to the last request, and its URL.
    func send(_ conditions: HTTPFields) async throws -> (response: OriginResponse, url: ResourceURL) {
        let settings = context.settings
        // A safeguard: callers have already checked this.
        guard settings.allowsOriginRequests else { throw CacheError.notCached(locator.url) }
        let start = locator.target(now: context.time.monotonic)
        var (url, scope) = (start.url, start.scope)
        var visited: Set<ResourceURL> = []
        while true {
            guard visited.insert(url).inserted, visited.count <= settings.maximumRedirects + 1 else {
                throw CacheError(
                    redirect: "\(locator.url) redirects in a loop or too often; the last redirect leads to \(url)")
            }
            var request = OriginRequest(
                url: url.withoutUserInfo,
                headerFields: settings.headerFields(for: url, conditions, now: context.time.now),
                limits: settings.limits, scope: settings.scope.narrowed(to: scope))
            let counters = context.counters
            counters.add(\.originRequests)
            request.willRepeat = { counters.add(\.originRequests) }
            let requestTime = context.time.monotonic
            let response: OriginResponse
            do {
                response = try await context.origin.send(request)
            } catch {
                // The remembered target may be down, while the redirect would now lead to another host.
                if start.isRedirected, !Task.isCancelled { locator.forgetRedirect() }
                throw error
            }
            // If the origin delays responses, the latency doesn't depend on the link.
            if !settings.waitsForOrigin {
                context.traffic?.recordLatency(of: url.origin, context.time.monotonic - requestTime)
            }
            guard [301, 302, 303, 307, 308].contains(response.status) else {
                if url != start.url {
                    locator.remember(redirect: url, scope: scope, now: context.time.monotonic)
                } else if start.isRedirected, response.status >= 400 {
                    // The remembered target may have expired, while the redirect itself still works.
                    response.body.cancel()
                    locator.forgetRedirect()
                    return try await send(conditions)
                }
                return (response, url)
            }
            response.body.cancel()
            guard let location = response.headerFields[.location] else {
                throw CacheError(redirect: "\(url) redirects without a Location field")
            }
            if !settings.allowsLocalRedirects {
                scope = AddressScope(ofReferencesAt: url, from: response.peer, requestedWith: scope)
            }
            do {
                url = try url.resolve(location)
            } catch {
                throw CacheError(
                    redirect: "\(url) redirects to “\(location.prefix(1024))”, which can't be followed", cause: error)
            }
        }
    }
}

extension TransferSettings {
    /// Returns the header fields of a request to `url`, including `conditions`.
    package func headerFields(for url: ResourceURL, _ conditions: HTTPFields = [:], now: Date) -> HTTPFields {
        var fields = conditions
        fields[.acceptEncoding] = "identity"
        fields[.accept] = "*/*"
        fields[.userAgent] = "MediaCache/1"
        if let cookies = cookies?.fieldValue(for: url, now: now) { fields[.cookie] = cookies }
        if let authorization = netrc?.authorization(for: url) { fields[.authorization] = authorization }
        if let profile = headerProfiles[url] {
            for field in profile.fields { fields[field.name] = field.value }
        }
        if let credentials = url.credentials { fields[.authorization] = credentials.authorization }
        return fields
    }
}

/// The current URL of a resource: the requested one, a refreshed one, or the target of the last redirect.
package final class ResourceLocator: Sendable {
    /// The time during which a redirect's target is requested directly. Signed URLs often expire within minutes.
    private static let redirectLifetime = Duration.seconds(30)

    private struct State {
        var url: ResourceURL
        /// The scope of references in the document that contained ``url``; `any` for a URL without a document.
        var scope = AddressScope.any
        var redirected: (target: ResourceURL, scope: AddressScope, until: Duration)?
    }

    private let state: Mutex<State>

    package init(url: ResourceURL) {
        state = Mutex(State(url: url))
    }

    /// The URL of the resource, regardless of redirects.
    package var url: ResourceURL { state.withLock { $0.url } }

    /// Replaces the URL with that of a later request for the same key, or with a refreshed one.
    ///
    /// - Parameter scope: The scope of references in the document that contained a refreshed URL.
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

    /// Returns the URL to request, and its scope according to the document or redirect that contained it.
    func target(now: Duration) -> (url: ResourceURL, scope: AddressScope, isRedirected: Bool) {
        state.withLock { state in
            if let redirected = state.redirected, now < redirected.until {
                return (redirected.target, redirected.scope, true)
            }
            return (state.url, state.scope, false)
        }
    }

    /// - Parameter scope: The scope of the redirects, regardless of that of the request.
    func remember(redirect target: ResourceURL, scope: AddressScope, now: Duration) {
        state.withLock { $0.redirected = (target, scope, now + Self.redirectLifetime) }
    }

    func forgetRedirect() {
        state.withLock { $0.redirected = nil }
    }
}
