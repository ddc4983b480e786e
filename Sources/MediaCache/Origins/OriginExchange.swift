package import Foundation
package import HTTPTypes

/// What every request to an origin needs.
package struct OriginContext: Sendable {
    package var origin: any Origin
    package var time: any TimeSource
    package var settings: TransferSettings
    package var counters: Counters
    /// Is told how long answers take, if there is one.
    package var traffic: Traffic?
    /// A number in 0..<1, for jitter.
    package var random: @Sendable () -> Double

    package init(
        origin: any Origin,
        time: any TimeSource,
        settings: TransferSettings,
        counters: Counters,
        traffic: Traffic? = nil,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        self.origin = origin
        self.time = time
        self.settings = settings
        self.counters = counters
        self.traffic = traffic
        self.random = random
    }
}

/// One GET with its redirects: sends the header profile of each authority to that authority alone, and gives each
/// redirect the scope of the answer that named it.
struct OriginExchange {
    var context: OriginContext
    var locator: ResourceLocator

    /// Sends the request and follows redirects until something else comes.
    func send(_ conditions: HTTPFields) async throws -> (response: OriginResponse, url: ResourceURL) {
        let settings = context.settings
        // Who asks has been told before; this is for whatever way may lead here.
        guard settings.asksOrigins else { throw CacheError.notKept(locator.url) }
        let start = locator.target(now: context.time.monotonic)
        var (url, scope) = (start.url, start.scope)
        var visited: Set<ResourceURL> = []
        while true {
            guard visited.insert(url).inserted, visited.count <= settings.maximumRedirects + 1 else {
                throw CacheError(redirect: "\(locator.url) redirects in a loop, or too often, at \(url)")
            }
            let request = OriginRequest(
                url: url.withoutUserInfo,
                headerFields: settings.headerFields(for: url, conditions, now: context.time.now),
                limits: settings.limits, scope: settings.scope.narrowed(to: scope))
            context.counters.add(\.originRequests)
            let asked = context.time.monotonic
            let response = try await context.origin.send(request)
            // A held request's latency says nothing of the link.
            if !settings.waitsForOrigin {
                context.traffic?.answered(by: url.origin, after: context.time.monotonic - asked)
            }
            guard [301, 302, 303, 307, 308].contains(response.status) else {
                if url != start.url {
                    locator.remember(redirect: url, scope: scope, now: context.time.monotonic)
                } else if start.isRedirected, response.status >= 400 {
                    // The shortcut may have expired where the way to it hasn't.
                    response.body.cancel()
                    locator.forgetRedirect()
                    return try await send(conditions)
                }
                return (response, url)
            }
            response.body.cancel()
            guard let location = response.headerFields[.location] else {
                throw CacheError(redirect: "\(url) redirects without saying where (no Location)")
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
    /// What a request to `url` carries besides `conditions`.
    package func headerFields(for url: ResourceURL, _ conditions: HTTPFields = [:], now: Date) -> HTTPFields {
        var fields = conditions
        fields[.acceptEncoding] = "identity"
        fields[.accept] = "*/*"
        fields[.userAgent] = "MediaCache/1"
        if let cookies = cookies?.fieldValue(for: url, now: now) { fields[.cookie] = cookies }
        if let profile = headerProfiles[url] {
            for field in profile.fields { fields[field.name] = field.value }
        }
        if let credentials = url.credentials { fields[.authorization] = credentials.authorization }
        return fields
    }
}

extension HTTPFields {
    /// Asks that nothing be sent if the version with this validator is current (RFC 9110 §13.1.2 and §13.1.3).
    mutating func setUnless(_ validator: Validator) {
        self[.ifNoneMatch] = validator.entityTag
        if validator.entityTag == nil { self[.ifModifiedSince] = validator.lastModified }
    }
}
