import Foundation
public import HTTPTypes
import MediaCache
import MediaCacheAPI

/// A response from a ``Route``.
public struct RouteResponse: Sendable {
    /// A response's content.
    public enum Body: Sendable {
        /// The whole content. The server omits it for `HEAD`, and serves ranges of it if the response has
        /// `Accept-Ranges: bytes`.
        case bytes([UInt8])
        /// A stream of buffers. The next buffer is requested when the previous one has been sent. An error closes the
        /// connection.
        case stream(AsyncThrowingStream<[UInt8], any Error>)
    }

    /// The status code (RFC 9110 §15).
    public var status: Int
    /// The header fields. The server adds those of the connection and of the framing, `Date` and
    /// `X-Content-Type-Options`. The 200 response to a `GET` or `HEAD` gets an `ETag`, unless it is a stream or has
    /// `Cache-Control: no-store`. A response that contains the key, the standing token or the library token gets
    /// `no-store`, too.
    public var headerFields: HTTPFields
    /// The content.
    public var body: Body

    /// Creates a response.
    public init(status: Int = 200, headerFields: HTTPFields = [:], body: Body = .bytes([])) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// Creates a text response.
    public init(status: Int = 200, contentType: String, text: String) {
        self.init(status: status, headerFields: [.contentType: contentType], body: .bytes(Array(text.utf8)))
    }

    /// Returns a response with a JSON-encoded value, which clients may store but must revalidate.
    ///
    /// - Throws: `EncodingError`.
    public static func json(_ value: some Encodable, status: Int = 200) throws -> RouteResponse {
        RouteResponse(
            status: status, headerFields: [.contentType: "application/json", .cacheControl: "private, no-cache"],
            body: .bytes(Array(try APICoding.makeEncoder().encode(value))))
    }

    /// Returns a response with a page of a list as JSON and a link to the next page (RFC 8288).
    static func json(_ list: some PagedList, of request: RouteRequest) throws -> RouteResponse {
        var response = try json(list)
        if let next = list.next, let link = HTTPField.Name("Link") {
            // The items are encoded again, since a query may contain characters that end a URI in this field.
            let others = QueryItems(request.query).all.filter { $0.name != "after" }.map { item in
                "\(APIClient.escape(item.name))=\(APIClient.escape(item.value))"
            }
            // A reference relative to the path, which a reverse proxy may have changed.
            let query = (others + ["after=\(next)"]).joined(separator: "&")
            response.headerFields[link] = "<?\(query)>; rel=\"next\""
        }
        return response
    }

    /// Returns the response for the value of a `Range` field. For several ranges, it is the whole content, as RFC 9110
    /// §14.2 allows.
    func cut(to range: String?) -> RouteResponse {
        guard status == 200, case .bytes(let bytes) = body, headerFields[.acceptRanges] == "bytes",
            let header = range.flatMap({ RangeHeader($0) }), header.unit == "bytes"
        else { return self }
        let parts = header.resolved(in: Int64(bytes.count)).map(RangeHeader.coalesced)
        guard (parts?.count ?? 1) == 1 else { return self }
        let part = parts?[0]
        var response = self
        response.status = part == nil ? 416 : 206
        response.headerFields[.contentRange] = ContentRange(range: part, completeLength: Int64(bytes.count)).fieldValue
        response.body = .bytes(part.map { Array(bytes[Int($0.lowerBound)..<Int($0.upperBound)]) } ?? [])
        return response
    }
}
