import HTTPTypes
import MediaCache
import MediaCacheAPI

extension HeaderArgument {
    /// Returns the fields by origin. Fields without an origin belong to the origin of `url`.
    static func byOrigin(_ arguments: [HeaderArgument], for url: ResourceURL) -> [String: [String: String]] {
        var origins: [String: [String: String]] = [:]
        for argument in arguments {
            let origin = (argument.origin ?? url).origin
            let name = argument.name.rawName
            let earlier = origins[origin]?[name]
            // Fields with the same name are combined into a list (RFC 9110 §5.3). Cookies are separated by semicolons.
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            origins[origin, default: [:]][name] = earlier.map { $0 + separator + argument.value } ?? argument.value
        }
        return origins
    }

    /// Sets the header profiles of origins on a server.
    static func apply(_ arguments: [HeaderArgument], for url: ResourceURL, to client: APIClient) async throws {
        for (origin, headers) in byOrigin(arguments, for: url) {
            try await client.setHeaderProfile(HeaderProfileUpdate(origin: origin, headers: headers))
        }
    }
}
