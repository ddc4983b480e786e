package import Foundation
import HTTPTypes

/// How origins are asked: limits, retries, read-ahead and what goes with each request.
public struct TransferSettings: Sendable {
    /// How long to wait for what.
    public var limits: TransferLimits
    /// How failures are met.
    public var retries: RetryPolicy
    /// How far to fill ahead of a reader.
    public var readAhead: ReadAhead
    /// How long a fill that can't go on holds its connection.
    public var idleLimit: Duration
    /// What to do with entity tags that alternate while length and bytes agree.
    public var alternatingEntityTags: AlternatingEntityTags
    /// Keep what says `no-store`, for the caller's own use.
    public var keepsNoStore: Bool
    /// Redirects to follow before it counts as a loop.
    public var maximumRedirects: Int
    /// Whether origins may be asked at all. Where they may not, what is kept is used as it is, however old, and a hole
    /// is ``CacheError/Code/notFound``.
    public var asksOrigins: Bool
    /// The addresses that requests may be sent to. What documents name has a scope of its own, which can only narrow
    /// this one.
    public var scope: AddressScope
    /// Whether a redirect may lead from a public address to a local one. Off: such a target is refused.
    public var allowsLocalRedirects: Bool
    /// Header fields by origin.
    public var headerProfiles: HeaderProfiles
    /// Cookies for the hosts and paths that they name.
    public var cookies: CookieFile?
    /// Called when an origin says 401, 403 or 410: gives a fresh URL for the same resource, or nil if there is none.
    public var refreshURL: (@Sendable (ResourceURL) async throws -> ResourceURL?)?
    /// Whether the origin holds requests until it has something to send: the wait says nothing of how fast bytes arrive.
    package var waitsForOrigin = false
    /// Called in place of ``refreshURL`` where a document names the fresh URL: gives its scope too.
    package var refreshFromDocument: (@Sendable (ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)?)?

    /// Creates settings.
    public init(
        limits: TransferLimits = TransferLimits(),
        retries: RetryPolicy = RetryPolicy(),
        readAhead: ReadAhead = ReadAhead(),
        idleLimit: Duration = .seconds(5),
        alternatingEntityTags: AlternatingEntityTags = .newRepresentation,
        keepsNoStore: Bool = false,
        maximumRedirects: Int = 10,
        asksOrigins: Bool = true,
        scope: AddressScope = .any,
        allowsLocalRedirects: Bool = false,
        headerProfiles: HeaderProfiles = HeaderProfiles(),
        cookies: CookieFile? = nil,
        refreshURL: (@Sendable (ResourceURL) async throws -> ResourceURL?)? = nil
    ) {
        self.limits = limits
        self.retries = retries
        self.readAhead = readAhead
        self.idleLimit = idleLimit
        self.alternatingEntityTags = alternatingEntityTags
        self.keepsNoStore = keepsNoStore
        self.maximumRedirects = maximumRedirects
        self.asksOrigins = asksOrigins
        self.scope = scope
        self.allowsLocalRedirects = allowsLocalRedirects
        self.headerProfiles = headerProfiles
        self.cookies = cookies
        self.refreshURL = refreshURL
    }
}

extension TransferSettings {
    /// Returns these settings for a target that was named with `scope`.
    package func narrowed(to scope: AddressScope) -> TransferSettings {
        var settings = self
        settings.scope = self.scope.narrowed(to: scope)
        return settings
    }

    /// Returns these settings without header profiles and cookies, except for the origin of `url`.
    ///
    /// - Parameters:
    ///   - url: the target of the request; nil leaves no credentials at all.
    ///   - now: decides which cookies have expired.
    package func sendingCredentials(onlyTo url: ResourceURL?, now: Date) -> TransferSettings {
        var settings = self
        settings.headerProfiles = HeaderProfiles()
        settings.cookies = nil
        guard let url else { return settings }
        settings.headerProfiles[url] = headerProfiles[url]
        if let cookie = cookies?.fieldValue(for: url, now: now), headerProfiles[url]?.fields[.cookie] == nil {
            settings.headerProfiles.add([.cookie: cookie], as: nil, to: url)
        }
        return settings
    }

    /// Whether requests to `url` have fields of a header profile, an identity or cookies.
    package func hasCredentials(for url: ResourceURL, now: Date) -> Bool {
        if let profile = headerProfiles[url], !profile.fields.isEmpty || profile.identity != nil { return true }
        return cookies?.fieldValue(for: url, now: now) != nil
    }

    /// Returns a fresh URL for the resource at `url`, and the scope of what named it; nil if there is none.
    func refreshed(_ url: ResourceURL) async throws -> (url: ResourceURL, scope: AddressScope)? {
        if let refreshFromDocument { return try await refreshFromDocument(url) }
        return try await refreshURL?(url).map { ($0, .any) }
    }

    /// Returns settings that request `url` as a user, or these settings if `identity` is nil.
    /// Other origins don't get the identity.
    package func asking(for url: ResourceURL, as identity: ProfileIdentity?) -> TransferSettings {
        guard let identity else { return self }
        var settings = self
        settings.headerProfiles[url, default: .init()].identity = identity
        return settings
    }
}

/// How far fills go beyond what is read.
public struct ReadAhead: Sendable, Hashable {
    /// Bytes asked for at first and after a seek. 1 MiB unless set.
    public var initial: Int64
    /// The most bytes asked for at once while reading goes on in order. 8 MiB unless set.
    public var maximum: Int64

    /// Creates a read-ahead.
    public init(initial: Int64 = 1 << 20, maximum: Int64 = 8 << 20) {
        self.initial = initial
        self.maximum = maximum
    }
}

/// How often and how fast a failed transfer is tried again: exponentially growing waits with full jitter.
public struct RetryPolicy: Sendable, Hashable {
    /// Failures in a row, without a kibibyte between them, before a fill gives up. 4 unless set.
    public var budget: Int
    /// How long they may go on: no try begins later than this after the first began. 30 s unless set, so that a player
    /// learns of an origin that never answers before it gives up itself.
    public var patience: Duration
    /// The first wait. 250 ms unless set.
    public var initialDelay: Duration
    /// The longest wait, `Retry-After` included. 10 s unless set.
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

    /// The wait before try `attempt` (1 is the first retry), `random` being in 0..<1.
    public func delay(attempt: Int, random: Double) -> Duration {
        let factor = Double(1 << min(max(attempt - 1, 0), 20))
        let ceiling = min(initialDelay.seconds * factor, maximumDelay.seconds)
        return .seconds(ceiling * (0.5 + random / 2))
    }
}

/// What a changed entity tag means when length and bytes agree, as behind a balancer whose servers tag differently.
public enum AlternatingEntityTags: Sendable, Hashable {
    /// A new version, as the standard says.
    case newRepresentation
    /// The same version, once an overlap of 64 KiB has been compared.
    case compareBytes
}
