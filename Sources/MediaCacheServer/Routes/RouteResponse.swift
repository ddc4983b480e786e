import Foundation
public import HTTPTypes
import MediaCache
import MediaCacheAPI

/// What a ``Route`` answers.
public struct RouteResponse: Sendable {
    /// A response's content.
    public enum Body: Sendable {
        /// All of it. `HEAD` is answered without it, and ranges are cut from it if the response has
        /// `Accept-Ranges: bytes`.
        case bytes([UInt8])
        /// Buffers as they come; the next is asked for when the client has taken the last. An error closes the
        /// connection.
        case stream(AsyncThrowingStream<[UInt8], any Error>)
    }

    /// The status code (RFC 9110 §15).
    public var status: Int
    /// The header fields. `Content-Length`, `Date` and `Connection` are the server's.
    public var headerFields: HTTPFields
    /// The content.
    public var body: Body

    /// Creates a response.
    public init(status: Int = 200, headerFields: HTTPFields = [:], body: Body = .bytes([])) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// A response of text.
    public init(status: Int = 200, contentType: String, text: String) {
        self.init(status: status, headerFields: [.contentType: contentType], body: .bytes(Array(text.utf8)))
    }

    /// A value as JSON.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> RouteResponse {
        let data = try APICoding.makeEncoder().encode(value)
        return RouteResponse(
            status: status,
            // Whoever keeps it asks whether it's still true, which a tag makes cheap.
            headerFields: [.contentType: "application/json", .cacheControl: "private, no-cache"],
            body: .bytes(Array(data))
        )
    }

    /// A page of a list as JSON, with a link to the next one (RFC 8288).
    static func json(_ list: some PagedList, of request: RouteRequest) throws -> RouteResponse {
        var response = try json(list)
        if let next = list.next, let link = HTTPField.Name("Link") {
            // Written again: a target may hold characters that end a URI in this field.
            let others = QueryItems(request.query).all.filter { $0.name != "after" }.map { item in
                "\(PercentCoding.encode(item.name))=\(PercentCoding.encode(item.value))"
            }
            // A reference to the same path, wherever a proxy shows it.
            let query = (others + ["after=\(next)"]).joined(separator: "&")
            response.headerFields[link] = "<?\(query)>; rel=\"next\""
        }
        return response
    }

    /// A problem details object (RFC 9457).
    static func problem(_ problem: Problem) -> RouteResponse {
        RouteResponse(status: problem.status, headerFields: problem.headerFields, body: .bytes(problem.json))
    }

    /// This response with the part of it that `range`, a `Range` field's value, asks for. One range is cut; several
    /// are answered with the whole, as RFC 9110 §14.2 allows.
    func cut(to range: String?) -> RouteResponse {
        guard status == 200, case .bytes(let bytes) = body, headerFields[.acceptRanges] == "bytes",
            let header = range.flatMap({ RangeHeader($0) }), header.unit == "bytes"
        else { return self }
        var response = self
        switch header.resolved(in: Int64(bytes.count)) {
        case .unsatisfiable:
            response.status = 416
            response.headerFields[.contentRange] =
                ContentRange(range: nil, completeLength: Int64(bytes.count)).fieldValue
            response.body = .bytes([])
        case .satisfiable(let ranges):
            let parts = RangeHeader.coalesced(ranges)
            guard parts.count == 1, let part = parts.first else { return self }
            response.status = 206
            response.headerFields[.contentRange] =
                ContentRange(range: part, completeLength: Int64(bytes.count)).fieldValue
            response.body = .bytes(Array(bytes[Int(part.lowerBound)..<Int(part.upperBound)]))
        }
        return response
    }
}
