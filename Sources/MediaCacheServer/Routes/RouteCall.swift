import HTTPTypes
import MediaCacheAPI

/// A request for a ``Route``, with what holds for all routes: tags of what is read, conditions, and ranges.
struct RouteCall: Sendable {
    let route: any Route
    let request: RouteRequest
    /// Whether a body holds a secret, so that no client may store it.
    let isSecret: @Sendable ([UInt8]) -> Bool
    /// Lets in one conditional change at a time: between the look at what there is and the change no other one of them
    /// comes.
    let changes: Turnstile

    /// What the route answers, under the request's conditions (RFC 9110 §13).
    ///
    /// - Throws: what the route throws; ``Problem`` with 412.
    func response() async throws -> RouteResponse {
        let conditions = Preconditions(request.headerFields)
        switch request.method {
        case .get, .head: return try await read(conditions)
        case _ where conditions.isEmpty: return try await route.respond(to: request)
        default:
            return try await changes.pass {
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

    /// Looks at what there is before it's changed: what a `GET` of the same would give.
    private func require(_ conditions: Preconditions) async throws {
        var look = request
        (look.method, look.headerFields, look.body) = (.head, [:], [])
        let tag: EntityTag?
        do {
            var response = try await route.respond(to: look)
            tag = response.addTag()
        } catch {
            switch Problem(error).status {
            // There's nothing that a condition could hold for.
            case 405: tag = nil
            case 404 where request.method == .put: tag = nil
            // The change fails too, and says why (RFC 9110 §13.2.1).
            default: return
            }
        }
        // Having what is to be changed is no reason not to send it, but one not to change it (RFC 9110 §13.1.2).
        guard case .proceed = conditions.evaluate(tag) else { throw Problem.preconditionFailed }
    }
}

extension RouteResponse {
    /// Gives what may be kept a strong tag over its bytes, if it has none yet.
    ///
    /// - Returns: its tag, or nil for what has none.
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
