internal import Foundation
internal import HTTPTypes
public import MediaCache

/// A client for the API of the server that owns a cache folder.
///
/// ```swift
/// let client = APIClient(address: "http://127.0.0.1:9479", key: key, origin: CurlOrigin())
/// let downloads = try await client.downloads()
/// ```
///
/// Every call throws ``Problem`` if the server responds with an error, ``APIClientError`` if the server is unreachable
/// or its response violates the API, and `CancellationError` if the task is cancelled.
public final class APIClient: Sendable {
    /// The server's address, such as `http://127.0.0.1:9479`, without a slash at the end.
    public let address: String
    let key: AccessKey
    private let origin: any Origin

    /// Creates a client, which connects on the first call.
    ///
    /// - Parameters:
    ///   - key: The cache's key; see ``AccessKeyFile/key(of:)``.
    ///   - origin: The HTTP client that sends the requests, such as `CurlOrigin` or `URLSessionOrigin`.
    public init(address: String, key: AccessKey, origin: any Origin) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.key = key
        self.origin = origin
    }
}

extension APIClient {
    /// The content of a request.
    struct Content {
        /// The media type.
        var type: String
        var bytes: [UInt8]

        static func json(_ value: some Encodable) throws -> Content {
            Content(type: "application/json", bytes: Array(try APICoding.makeEncoder().encode(value)))
        }
    }

    /// The time limits of a `GET` call.
    private static let limits = TransferLimits(connect: .seconds(5), firstByte: .seconds(120), stall: .seconds(120))
    /// The time limits of other requests. A change may process the whole cache, and media may first have to be fetched.
    static let patientLimits = TransferLimits(
        connect: .seconds(5), firstByte: .seconds(1 << 30), stall: .seconds(1 << 30))
    /// The maximum size of a response, in bytes.
    private static let maximumResponse = 512 << 20

    /// Performs a call and decodes the response.
    func call<Response: Decodable>(
        _ method: HTTPRequest.Method, _ path: String, content: Content? = nil
    ) async throws -> Response {
        let bytes = try await exchange(method, path, content: content).bytes
        do {
            return try APICoding.makeDecoder().decode(Response.self, from: Data(bytes))
        } catch {
            throw APIClientError.unexpectedResponse(
                "\(method.rawValue) \(path.prefix { $0 != "?" })", address: address, cause: error)
        }
    }

    /// Performs a call and decodes the response; nil for status 404.
    func callIfFound<Response: Decodable>(
        _ method: HTTPRequest.Method, _ path: String, content: Content? = nil
    ) async throws -> Response? {
        do {
            let response: Response = try await call(method, path, content: content)
            return response
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// Returns the items of all pages of a list.
    func all<List: PagedList>(_ type: List.Type, _ path: String) async throws -> [List.Item] {
        var list: List = try await call(.get, path)
        var items = list.items
        while let next = list.next, !list.items.isEmpty {
            list = try await call(.get, "\(path)\(path.contains("?") ? "&" : "?")after=\(Self.escape(next))")
            items += list.items
        }
        return items
    }

    /// Performs a call, and ignores the content of the response.
    func send(_ method: HTTPRequest.Method, _ path: String, content: Content? = nil) async throws {
        _ = try await exchange(method, path, content: content)
    }

    /// Returns a request with ``patientLimits``.
    func request(_ method: HTTPRequest.Method, _ url: String) throws -> OriginRequest {
        do {
            var request = OriginRequest(url: try ResourceURL(url), limits: Self.patientLimits)
            request.method = method
            return request
        } catch {
            throw APIClientError.unreachable(address: address, cause: error)
        }
    }

    /// Sends a request. An `Origin` follows no redirects, which could lead the key to another server.
    func respond(to request: OriginRequest) async throws -> OriginResponse {
        do {
            return try await origin.send(request)
        } catch {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
    }

    /// Returns the content of a response; nil if it has more than `limit` bytes.
    func content(of response: OriginResponse, limit: Int) async throws -> [UInt8]? {
        var bytes: [UInt8] = []
        while let buffer = try await nextBytes(of: response.body) {
            guard bytes.count + buffer.count <= limit else {
                response.body.cancel()
                return nil
            }
            bytes += buffer
        }
        return bytes
    }

    /// Returns the next bytes of a response; nil at its end.
    func nextBytes(of body: any OriginBody) async throws -> [UInt8]? {
        do {
            return try await body.next()?.withUnsafeBytes { Array($0) }
        } catch {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
    }

    /// Returns the error of a response with an error status.
    ///
    /// - Parameter call: The call, such as `GET /api/v1/usage`.
    func failure(_ response: OriginResponse, _ content: [UInt8]?, of call: String) -> any Error {
        if let content, let problem = try? APICoding.makeDecoder().decode(Problem.self, from: Data(content)) {
            return problem
        }
        return APIClientError.unexpectedResponse("\(call): status \(response.status)", address: address, cause: nil)
    }

    /// Performs a call and returns the content of the response and its media type.
    func exchange(
        _ method: HTTPRequest.Method, _ path: String, content: Content?
    ) async throws -> (bytes: [UInt8], mediaType: String?) {
        let call = "\(method.rawValue) \(path.prefix { $0 != "?" })"
        var request = try request(method, address + path)
        if method == .get { request.limits = Self.limits }
        request.headerFields[.authorization] = "Bearer \(key.value)"
        request.headerFields[.accept] = "application/json, \(Problem.contentType), image/*"
        if let content {
            request.headerFields[.contentType] = content.type
            request.content = RequestContent(content.bytes)
        }
        let response = try await respond(to: request)
        let bytes = try await self.content(of: response, limit: Self.maximumResponse)
        guard (200..<300).contains(response.status) else { throw failure(response, bytes, of: call) }
        guard let bytes else {
            throw APIClientError.unexpectedResponse(
                "\(call): more than \(Self.maximumResponse) bytes", address: address, cause: nil)
        }
        return (bytes, response.headerFields[.contentType])
    }

    /// Returns a URL with its user information, optionally without the password.
    package static func text(of url: ResourceURL, withPassword: Bool = true) -> String {
        guard let userInfo = url.userInfo else { return url.description }
        let user = withPassword ? userInfo : String(userInfo.prefix { $0 != ":" })
        return "\(url.scheme)://\(user)@\(url.authority)\(url.target)"
    }

    /// Percent-encodes all but the unreserved characters (RFC 3986 §2.3).
    package static func escape(_ text: String) -> String {
        var output: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            let isUnreserved = byte.isNameByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
            output += isUnreserved ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: output, as: UTF8.self)
    }
}
