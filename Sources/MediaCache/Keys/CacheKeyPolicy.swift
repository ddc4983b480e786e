/// Which URLs name the same resource.
public struct CacheKeyPolicy: Sendable {
    private let makeKey: @Sendable (ResourceURL) -> String

    /// A policy of the caller's: equal keys mean equal bytes.
    public init(_ makeKey: @escaping @Sendable (ResourceURL) -> String) {
        self.makeKey = makeKey
    }

    /// The whole URL is the key.
    public static let wholeURL = CacheKeyPolicy { $0.description }

    /// The URL without the query items of these names: tokens, signatures, expiry dates.
    ///
    /// The order and spelling of the items that stay is kept.
    public static func dropping(queryItems names: Set<String>) -> CacheKeyPolicy {
        CacheKeyPolicy { url in
            guard let query = url.query else { return url.description }
            let kept = query.split(separator: "&", omittingEmptySubsequences: false).filter { item in
                !names.contains(String(item.prefix { $0 != "=" }))
            }
            let target = kept.isEmpty ? String(url.path) : "\(url.path)?\(kept.joined(separator: "&"))"
            return url.with(target: target).description
        }
    }

    /// The key of `url`. Whoever its user information names, or a profile that tells users apart, has a key of their own.
    public func key(for url: ResourceURL, profiles: HeaderProfiles = HeaderProfiles()) -> String {
        CacheKey(name: makeKey(url), identity: url.credentials?.identity ?? profiles[url]?.identity).description
    }
}
