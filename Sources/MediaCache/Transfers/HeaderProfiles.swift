public import HTTPTypes

/// Header fields that belong to an origin: cookies, authorisation, a referrer. Sent to that origin alone; a redirect
/// elsewhere loses them.
///
/// User information of a URL is such a profile too, of that one read: the store makes one of it, and nothing else that
/// is asked of the origin has it.
public struct HeaderProfiles: Sendable, Hashable {
    /// What goes to one origin.
    public struct Profile: Sendable, Hashable {
        /// The fields, added to each request.
        public var fields: HTTPFields
        /// Set if the fields tell one user from another: then it becomes part of the cache key.
        public var identity: ProfileIdentity?

        /// Creates a profile.
        public init(fields: HTTPFields = [:], identity: ProfileIdentity? = nil) {
            self.fields = fields
            self.identity = identity
        }
    }

    private var profiles: [String: Profile] = [:]

    /// Creates an empty set.
    public init() {}

    /// The profile of `url`'s scheme and authority.
    public subscript(url: ResourceURL) -> Profile? {
        get { profiles[url.origin] }
        set { profiles[url.origin] = newValue }
    }

    /// Adds fields to what goes to `url`'s origin, in place of those of the same names; and a user, if there is one.
    package mutating func add(_ fields: HTTPFields, as identity: ProfileIdentity?, to url: ResourceURL) {
        var profile = self[url] ?? Profile()
        if let identity { profile.identity = identity }
        for field in fields { profile.fields[field.name] = field.value }
        self[url] = profile
    }

    /// The profile of `url`'s scheme and authority; `profile` where there is none.
    public subscript(url: ResourceURL, default profile: @autoclosure () -> Profile) -> Profile {
        get { self[url] ?? profile() }
        set { self[url] = newValue }
    }
}

extension HTTPFields {
    /// Header fields by their names, as somebody wrote them.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidSetting`` for what can't be one.
    package init(named headers: [String: String]) throws(CacheError) {
        self.init()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard let fieldName = HTTPField.Name(name) else {
                throw CacheError(.invalidSetting, "“\(name)” is not the name of a header field")
            }
            guard HTTPField.isValidValue(value) else {
                throw CacheError(
                    .invalidSetting, "the value of \(name) has characters that a header field can't have")
            }
            self[fieldName] = value
        }
    }
}
