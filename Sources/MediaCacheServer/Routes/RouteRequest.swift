public import HTTPTypes
import MediaCacheAPI

/// A request as a ``Route`` gets it, with its whole body.
public struct RouteRequest: Sendable {
    /// The method (RFC 9110 §9).
    public var method: HTTPRequest.Method
    /// The path as it came, without the query.
    public var path: String
    /// The query as it came, without its `?`; empty if there is none.
    public var query: String
    /// The header fields.
    public var headerFields: HTTPFields
    /// The content; at most ``ServerLimits/maximumBodyBytes``.
    public var body: [UInt8]

    /// Creates a request.
    public init(
        method: HTTPRequest.Method,
        path: String,
        query: String = "",
        headerFields: HTTPFields = [:],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headerFields = headerFields
        self.body = body
    }

    /// The decoded value of the first query item of this name.
    public func queryItem(_ name: String) -> String? {
        QueryItems(query)[name]
    }

    /// That the path takes other methods than this; `GET` stands for `HEAD` too.
    func methodNotAllowed(_ allowed: HTTPRequest.Method...) -> Problem {
        .methodNotAllowed(method.rawValue, allowed: allowed)
    }

    /// The truth of the first query item of this name; false without one.
    ///
    /// - Throws: ``Problem`` for what is neither true nor false.
    func flag(_ name: String) throws -> Bool {
        switch queryItem(name) {
        case nil, "false", "0": false
        case "true", "1", "": true
        case .some(let other): throw Problem.badRequest("\(name) is true or false, not “\(other)”")
        }
    }
}
