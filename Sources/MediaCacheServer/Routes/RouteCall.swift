import HTTPTypes
import MediaCacheAPI
import MediaLibrary

/// A call of a ``Route``, with the features shared by all routes: entity tags, conditions and ranges.
struct RouteCall: Sendable {
    let route: any Route
    let request: RouteRequest
    /// Returns whether a body contains a secret, so that clients mustn't store it.
    let isSecret: @Sendable ([UInt8]) -> Bool
    /// Serializes conditional changes, so that no other one happens between the check of a condition and the change
    /// that depends on it. Changes without conditions aren't serialized.
    let changes: ConcurrencyLimit

    /// Returns the route's response, subject to the conditions of the request (RFC 9110 §13).
    ///
    /// - Throws: The errors of the route; ``Problem`` with 412 if a condition isn't met.
    func response() async throws -> RouteResponse {
        try await ServerURLs.$requested.withValue(request.serverURL) { try await conditionalResponse() }
    }

    private func conditionalResponse() async throws -> RouteResponse {
        let conditions = Preconditions(request.headerFields)
        switch request.method {
        case .get, .head: return try await read(conditions)
        case _ where conditions.isEmpty: return try await route.respond(to: request)
        default:
            return try await changes.run {
                try await require(conditions)
                return try await route.respond(to: request)
            }
        }
    }

    private func read(_ conditions: Preconditions) async throws -> RouteResponse {
        var response = try await route.respond(to: request)
        guard let tag = response.addTag() else { return response }
        if case .bytes(let bytes) = response.body, isSecret(bytes) { response.headerFields[.cacheControl] = "no-store" }
        switch conditions.evaluate(tag) {
        case .proceed: break
        case .failed: throw Problem.preconditionFailed
        case .notModified:
            response.status = 304
            response.body = .bytes([])
            return response
        }
        guard request.method == .get, conditions.allowsRange(of: tag) else { return response }
        return response.cut(to: request.headerFields[.range])
    }

    /// Throws unless the current state, which a `HEAD` of the path returns, meets the conditions.
    private func require(_ conditions: Preconditions) async throws {
        var head = request
        (head.method, head.headerFields, head.body) = (.head, [:], [])
        let tag: EntityTag?
        do {
            var response = try await route.respond(to: head)
            tag = response.addTag()
        } catch {
            switch Problem(error).status {
            // There is no current state.
            case 405: tag = nil
            case 404 where request.method == .put: tag = nil
            // The change fails with the same error (RFC 9110 §13.2.1).
            default: return
            }
        }
        // For a change, `notModified` is also a failed condition (RFC 9110 §13.1.2).
        guard case .proceed = conditions.evaluate(tag) else { throw Problem.preconditionFailed }
    }
}

extension RouteResponse {
    /// Adds a strong tag of the bytes to a response that clients may store, unless the response has a tag.
    ///
    /// - Returns: The tag; nil for a response that isn't 200, is streamed, or mustn't be stored.
    fileprivate mutating func addTag() -> EntityTag? {
        guard status == 200, case .bytes(let bytes) = body, headerFields[.cacheControl] != "no-store" else {
            return nil
        }
        if let text = headerFields[.eTag] { return EntityTag(text) }
        let tag = EntityTag(of: bytes)
        headerFields[.eTag] = tag.text
        return tag
    }
}
