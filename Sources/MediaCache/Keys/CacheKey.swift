/// A cache key's two parts: the name that the key policy gives a resource, and whose it is, where an origin tells its
/// users apart.
package struct CacheKey: Hashable, LosslessStringConvertible {
    /// Stands between them. No URL has a space.
    private static let separator = " profile="

    /// What the key policy made of the URL.
    package var name: String
    /// Whose the resource is; nil where nobody in particular asked.
    package var identity: ProfileIdentity?

    init(name: String, identity: ProfileIdentity?) {
        self.name = name
        self.identity = identity
    }

    /// Takes a key apart.
    package init(_ description: String) {
        let end = description.utf8.suffix(NameHash.length)
        let front = description[..<end.startIndex]
        if front.hasSuffix(Self.separator), let identity = ProfileIdentity(String(description[end.startIndex...])) {
            self.init(name: String(front.dropLast(Self.separator.count)), identity: identity)
        } else {
            self.init(name: description, identity: nil)
        }
    }

    /// The key as the catalog has it.
    package var description: String { identity.map { "\(name)\(Self.separator)\($0)" } ?? name }

    /// What the keys of all users' resources of this name begin with.
    static func prefixOfIdentified(_ name: String) -> String { name + separator }
}
