public import HTTPTypes

/// Header fields for individual origins, such as cookies, authorization or a referrer. They are sent only to their
/// origin, and aren't forwarded in a redirect to another one.
///
/// User information in the URL of a read acts like a profile, but only for the requests of that read.
public struct HeaderProfiles: Sendable, Hashable {
    /// The header fields for one origin.
    public struct Profile: Sendable, Hashable {
        /// The fields added to each request.
        public var fields: HTTPFields
        /// The identity of the user if the fields contain credentials. It becomes part of the cache key.
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

    /// The profile of `url`'s scheme and authority; nil if there is none.
    public subscript(url: ResourceURL) -> Profile? {
        get { profiles[url.origin] }
        set { profiles[url.origin] = newValue }
    }

    /// Adds fields to the profile of `url`'s origin, replacing fields with the same names. Sets its identity unless
    /// `identity` is nil.
    package mutating func add(_ fields: HTTPFields, as identity: ProfileIdentity?, to url: ResourceURL) {
        var profile = self[url] ?? Profile()
        if let identity { profile.identity = identity }
        for field in fields { profile.fields[field.name] = field.value }
        self[url] = profile
    }
}

extension HTTPFields {
    /// Creates header fields from names and values entered by a user.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/invalidSetting`` for an invalid name or value.
    package init(named headers: [String: String]) throws(CacheError) {
        self.init()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            guard let fieldName = HTTPField.Name(name) else {
                throw CacheError(.invalidSetting, "“\(name)” isn't a valid header field name")
            }
            guard HTTPField.isValidValue(value) else {
                throw CacheError(
                    .invalidSetting, "the value of \(name) contains characters that aren't allowed in a header field")
            }
            self[fieldName] = value
        }
    }
}
