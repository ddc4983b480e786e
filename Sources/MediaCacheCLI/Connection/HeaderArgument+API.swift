import HTTPTypes
import MediaCache
import MediaCacheAPI

extension HeaderArgument {
    /// The fields of `arguments` by origin; those without one are for `url`'s.
    static func byOrigin(_ arguments: [HeaderArgument], for url: ResourceURL) -> [String: [String: String]] {
        var origins: [String: [String: String]] = [:]
        for argument in arguments {
            let origin = (argument.origin ?? url).origin
            let name = argument.name.rawName
            let earlier = origins[origin]?[name]
            // Several fields of a name are one list (RFC 9110 §5.3); cookies have a separator of their own.
            let separator = name.lowercased() == "cookie" ? "; " : ", "
            origins[origin, default: [:]][name] = earlier.map { $0 + separator + argument.value } ?? argument.value
        }
        return origins
    }

    /// Makes the fields of `arguments` the profiles of their origins at a running server.
    static func apply(_ arguments: [HeaderArgument], for url: ResourceURL, to client: APIClient) async throws {
        for (origin, headers) in byOrigin(arguments, for: url) {
            try await client.setHeaderProfile(HeaderProfileUpdate(origin: origin, headers: headers))
        }
    }
}
