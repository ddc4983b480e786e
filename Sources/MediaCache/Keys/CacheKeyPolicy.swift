/// A policy that maps URLs to cache keys.
public struct CacheKeyPolicy: Sendable {
    private let makeKey: @Sendable (ResourceURL) -> String

    /// Creates a policy from a function. URLs with equal keys must have equal content.
    public init(_ makeKey: @escaping @Sendable (ResourceURL) -> String) {
        self.makeKey = makeKey
    }

    /// A policy that uses the whole URL.
    public static let wholeURL = CacheKeyPolicy { $0.description }

    /// Returns a policy that ignores query items with the given names, such as tokens, signatures or expiry dates.
    /// Names are compared as written in the URL, without percent-decoding. The other items and their order are
    /// unchanged.
    public static func dropping(queryItems names: Set<String>) -> CacheKeyPolicy {
        CacheKeyPolicy { url in
            guard let query = url.query else { return url.description }
            let remaining = query.split(separator: "&", omittingEmptySubsequences: false).filter { item in
                !names.contains(String(item.prefix { $0 != "=" }))
            }
            let target = remaining.isEmpty ? String(url.path) : "\(url.path)?\(remaining.joined(separator: "&"))"
            return url.with(target: target).description
        }
    }

    /// Returns the key of `url`. It contains the identity of the user in the URL or, without one, of the profile.
    public func key(for url: ResourceURL, profiles: HeaderProfiles = HeaderProfiles()) -> String {
        CacheKey(name: makeKey(url), identity: url.credentials?.identity ?? profiles[url]?.identity).description
    }
}

/// A cache key: the resource's name and, for requests with credentials, the user's identity.
package struct CacheKey: Hashable, LosslessStringConvertible {
    /// The separator of both parts. It contains a space, so that no URL can be mistaken for a key with an identity.
    private static let separator = " profile="

    /// The name according to the key policy.
    package var name: String
    /// The identity of the user; nil for requests without credentials.
    package var identity: ProfileIdentity?

    init(name: String, identity: ProfileIdentity?) {
        self.name = name
        self.identity = identity
    }

    package init(_ description: String) {
        let end = description.utf8.suffix(NameHash.length)
        let front = description[..<end.startIndex]
        if front.hasSuffix(Self.separator), let identity = ProfileIdentity(String(description[end.startIndex...])) {
            self.init(name: String(front.dropLast(Self.separator.count)), identity: identity)
        } else {
            self.init(name: description, identity: nil)
        }
    }

    package var description: String { identity.map { "\(name)\(Self.separator)\($0)" } ?? name }

    /// Returns the common prefix of the keys with this name and any identity.
    static func prefixOfIdentified(_ name: String) -> String { name + separator }
}
