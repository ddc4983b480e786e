import Foundation
public import HTTPTypes
import MediaCacheAPI

/// A request for a ``Route``, with its whole body.
public struct RouteRequest: Sendable {
    /// The method (RFC 9110 §9).
    public var method: HTTPRequest.Method
    /// The path without the query, still percent-encoded.
    public var path: String
    /// The query without its `?`, still percent-encoded; empty if there is none.
    public var query: String
    /// The header fields. Those with invalid names are omitted.
    public var headerFields: HTTPFields
    /// The content. Its length is limited by ``Route/bodyLimit(of:at:within:)``; empty if that is 0.
    public var body: [UInt8]
    /// The URL of the server as the client sees it, without a path: the scheme, and the host that the request names,
    /// which ``HostPolicy`` allows. Nil if the request names no host. The URLs in the response begin with it
    /// (``ServerURLs``).
    var serverURL: String?

    /// Creates a request.
    public init(
        method: HTTPRequest.Method, path: String, query: String = "", headerFields: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headerFields = headerFields
        self.body = body
    }

    /// Returns the decoded value of the first query item with this name; nil if there is none.
    public func queryItem(_ name: String) -> String? { QueryItems(query)[name] }

    /// Returns the problem of an unsupported method. `GET` in the list includes `HEAD`.
    func methodNotAllowed(_ allowed: HTTPRequest.Method...) -> Problem {
        .methodNotAllowed(method.rawValue, allowed: allowed)
    }

    /// Throws a ``Problem`` unless the method is `GET` or `HEAD`.
    func requireRead() throws {
        guard method == .get || method == .head else { throw methodNotAllowed(.get) }
    }

    func flag(_ name: String) throws -> Bool { try QueryItems(query).flag(name) }

    /// Decodes the body as JSON.
    ///
    /// - Throws: `DecodingError`, which is reported as 400.
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try APICoding.makeDecoder().decode(type, from: Data(body))
    }
}
