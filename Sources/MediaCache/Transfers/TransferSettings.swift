package import Foundation
import HTTPTypes

/// The settings of requests to origins: limits, retries, read-ahead and header fields.
public struct TransferSettings: Sendable {
    /// The time limits of an exchange.
    public var limits: TransferLimits
    /// The retry policy for failed transfers.
    public var retries: RetryPolicy
    /// The read-ahead.
    public var readAhead: ReadAhead
    /// The time after which a transfer whose bytes aren't stored closes its connection if its readers are too slow. 5 s
    /// by default.
    public var idleLimit: Duration
    /// The interpretation of entity tags that change while length and bytes stay the same.
    /// ``AlternatingEntityTags/newRepresentation`` by default.
    public var alternatingEntityTags: AlternatingEntityTags
    /// Whether to store responses with `no-store`, for the caller's own use. False by default.
    public var storesNoStoreResponses: Bool
    /// The maximum number of redirects to follow. 10 by default.
    public var maximumRedirects: Int
    /// Whether requests to origins are permitted. If not, cached content is used regardless of its age, and reading a
    /// hole throws ``CacheError/Code/notFound``.
    public var allowsOriginRequests: Bool
    /// The addresses that requests may be sent to. ``AddressScope/any`` by default. For the references of a document,
    /// the scope can only be narrowed.
    public var scope: AddressScope
    /// Whether a redirect may lead from a public to a local address. False by default.
    public var allowsLocalRedirects: Bool
    /// Header fields by origin.
    public var headerProfiles: HeaderProfiles
    /// The cookies to send, each to the host and path that it specifies.
    public var cookies: CookieFile?
    /// The user names and passwords to send, each to its host.
    public var netrc: NetrcFile?
    /// A function that returns a fresh URL for the resource after a response with status 401, 403 or 410, or nil if
    /// there is none. The failed transfer then continues at the same byte. If the function throws an error, the
    /// transfer fails.
    public var refreshURL: (@Sendable (ResourceURL) async throws -> ResourceURL?)?
    /// Whether new resources aren't stored, because their stream is too long (``AdmissionPolicy/maximumDuration``).
    package var passesThrough = false
    /// Whether the origin delays responses until it has content, so that latency says nothing about the link.
    package var waitsForOrigin = false
    /// A function that replaces ``refreshURL`` for resources referenced by a document. It reads the fresh URL from the
    /// document, and also returns the scope of the document's references.
    package var refreshFromDocument: (@Sendable (ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)?)?

    /// Creates settings.
    public init(
        limits: TransferLimits = TransferLimits(),
        retries: RetryPolicy = RetryPolicy(),
        readAhead: ReadAhead = ReadAhead(),
        idleLimit: Duration = .seconds(5),
        alternatingEntityTags: AlternatingEntityTags = .newRepresentation,
        storesNoStoreResponses: Bool = false,
        maximumRedirects: Int = 10,
        allowsOriginRequests: Bool = true,
        scope: AddressScope = .any,
        allowsLocalRedirects: Bool = false,
        headerProfiles: HeaderProfiles = HeaderProfiles(),
        cookies: CookieFile? = nil,
        netrc: NetrcFile? = nil,
        refreshURL: (@Sendable (ResourceURL) async throws -> ResourceURL?)? = nil
    ) {
        self.limits = limits
        self.retries = retries
        self.readAhead = readAhead
        self.idleLimit = idleLimit
        self.alternatingEntityTags = alternatingEntityTags
        self.storesNoStoreResponses = storesNoStoreResponses
        self.maximumRedirects = maximumRedirects
        self.allowsOriginRequests = allowsOriginRequests
        self.scope = scope
        self.allowsLocalRedirects = allowsLocalRedirects
        self.headerProfiles = headerProfiles
        self.cookies = cookies
        self.netrc = netrc
        self.refreshURL = refreshURL
    }
}

extension TransferSettings {
    /// Returns these settings with the scope narrowed to `scope`.
    package func narrowed(to scope: AddressScope) -> TransferSettings {
        var settings = self
        settings.scope = self.scope.narrowed(to: scope)
        return settings
    }

    /// Returns these settings without header profiles, cookies and passwords, except for the origin of `url`.
    ///
    /// - Parameters:
    ///   - url: The target of the request; nil for no credentials at all.
    ///   - now: The current time. Cookies that have expired by then are omitted.
    package func sendingCredentials(onlyTo url: ResourceURL?, now: Date) -> TransferSettings {
        var settings = self
        settings.headerProfiles = HeaderProfiles()
        settings.cookies = nil
        settings.netrc = nil
        guard let url else { return settings }
        settings.headerProfiles[url] = headerProfiles[url]
        if let cookie = cookies?.fieldValue(for: url, now: now), headerProfiles[url]?.fields[.cookie] == nil {
            settings.headerProfiles.add([.cookie: cookie], as: nil, to: url)
        }
        if let authorization = netrc?.authorization(for: url), headerProfiles[url]?.fields[.authorization] == nil {
            settings.headerProfiles.add([.authorization: authorization], as: nil, to: url)
        }
        return settings
    }

    /// Returns whether requests to `url` have a header profile, an identity, cookies or a password.
    package func hasCredentials(for url: ResourceURL, now: Date) -> Bool {
        if let profile = headerProfiles[url], !profile.fields.isEmpty || profile.identity != nil { return true }
        return cookies?.fieldValue(for: url, now: now) != nil || netrc?.authorization(for: url) != nil
    }

    /// Returns a fresh URL for the resource at `url`, and the scope of its document's references; nil if there is none.
    func refreshed(_ url: ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)? {
        if let refreshFromDocument { return try await refreshFromDocument(url) }
        return try await refreshURL?(url).map { ($0, .any) }
    }

    /// Returns these settings with `identity`, unless it's nil, in the header profile of `url`'s origin.
    package func requesting(_ url: ResourceURL, as identity: ProfileIdentity?) -> TransferSettings {
        guard let identity else { return self }
        var settings = self
        settings.headerProfiles.add([:], as: identity, to: url)
        return settings
    }
}

/// The number of bytes that fills request beyond the reader's position.
public struct ReadAhead: Sendable, Hashable {
    /// The number of bytes requested by the first fill and after a seek. 1 MiB by default.
    public var initial: Int64
    /// The maximum number of bytes per request during sequential reading. 8 MiB by default.
    public var maximum: Int64

    /// Creates a read-ahead.
    public init(initial: Int64 = 1 << 20, maximum: Int64 = 8 << 20) {
        self.initial = initial
        self.maximum = maximum
    }

    /// Returns the default read-ahead with another maximum, which also applies to the first fill.
    package static func limited(to maximum: Int64) -> ReadAhead {
        ReadAhead(initial: min(ReadAhead().initial, maximum), maximum: maximum)
    }
}

/// The policy for repeating failed requests, with exponential back-off and jitter.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of consecutive retries. Retries are consecutive if less than 1 KiB was received between them.
    /// 4 by default.
    public var budget: Int
    /// The time after which failures aren't retried, measured from the start of the first failed request. 30 s by
    /// default, so that a player receives an error before its own time limit.
    public var patience: Duration
    /// The maximum delay before the first retry. It doubles with each further retry. 250 ms by default.
    public var initialDelay: Duration
    /// The maximum delay before a retry, 10 s by default. A failure with a longer `Retry-After` isn't retried.
    public var maximumDelay: Duration

    /// Creates a policy.
    public init(
        budget: Int = 4,
        patience: Duration = .seconds(30),
        initialDelay: Duration = .milliseconds(250),
        maximumDelay: Duration = .seconds(10)
    ) {
        self.budget = budget
        self.patience = patience
        self.initialDelay = initialDelay
        self.maximumDelay = maximumDelay
    }

    /// Returns the delay before a retry.
    ///
    /// - Parameters:
    ///   - attempt: The number of the retry, starting at 1.
    ///   - random: A random number in `0..<1`.
    public func delay(attempt: Int, random: Double) -> Duration {
        let factor = Double(1 << min(max(attempt - 1, 0), 20))
        let ceiling = min(initialDelay.seconds * factor, maximumDelay.seconds)
        return .seconds(ceiling * (0.5 + random / 2))
    }
}

/// The meaning of an entity tag that changes while length and bytes stay the same, as some load balancers send it.
public enum AlternatingEntityTags: Sendable, Hashable {
    /// A new version (RFC 9110 §8.8.3).
    case newRepresentation
    /// An unchanged version, if an overlap of up to 64 KiB has equal bytes.
    case compareBytes
}
