internal import AsyncHTTPClient
internal import Foundation
package import MediaCache
internal import NIOCore
internal import NIOHTTP1

/// A client for the API of the server that owns a cache folder.
///
/// ```swift
/// let client = APIClient(address: "http://127.0.0.1:9479", key: key)
/// let downloads = try await client.downloads()
/// await client.close()
/// ```
///
/// Every call throws ``Problem`` if the server responds with an error, ``APIClientError`` if the server is unreachable
/// or its response violates the API, and `CancellationError`. Call ``close()`` when you no longer need the client.
public final class APIClient: Sendable {
    /// The server's address, such as `http://127.0.0.1:9479`, without a slash at the end.
    public let address: String
    let key: AccessKey
    let http: HTTPClient

    /// Creates a client. It connects on the first call.
    ///
    /// - Parameters:
    ///   - address: The server's address, such as `http://127.0.0.1:9479`.
    ///   - key: The cache's key; see ``AccessKeyFile/key(of:)``.
    public init(address: String, key: AccessKey) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.key = key
        // The API doesn't redirect, and following a redirect could send the key to another server.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections. The client can't be used afterwards.
    public func close() async {
        try? await http.shutdown()
    }
}

extension APIClient {
    /// The content of a request.
    struct Content {
        /// The media type.
        var type: String
        /// The bytes.
        var bytes: [UInt8]

        /// Returns a value as JSON.
        static func json(_ value: some Encodable) throws -> Content {
            Content(type: "application/json", bytes: Array(try APICoding.makeEncoder().encode(value)))
        }
    }

    /// The deadline of a `GET`. Calls that change something have no deadline, since they may process the whole cache.
    private static let deadline = TimeAmount.seconds(120)
    /// The maximum size of a response, in bytes. 100,000 resources with many spans take about 50 MB.
    private static let maximumResponse = 512 << 20

    /// Performs a call and decodes the response.
    func call<Response: Decodable>(
        _ method: HTTPMethod, _ path: String, content: Content? = nil
    ) async throws -> Response {
        let bytes = try await exchange(method, path, content: content).bytes
        do {
            return try APICoding.makeDecoder().decode(Response.self, from: Data(bytes.readableBytesView))
        } catch {
            throw APIClientError.unexpectedResponse(
                "\(method.rawValue) \(path.prefix { $0 != "?" })", address: address, cause: error)
        }
    }

    /// Returns the items of all pages of a list.
    func all<List: PagedList>(_ type: List.Type, _ path: String) async throws -> [List.Item] {
        var list: List = try await call(.GET, path)
        var items = list.items
        while let next = list.next, !list.items.isEmpty {
            list = try await call(.GET, "\(path)\(path.contains("?") ? "&" : "?")after=\(Self.escape(next))")
            items += list.items
        }
        return items
    }

    /// Performs a call and ignores the content of the response.
    func send(_ method: HTTPMethod, _ path: String, content: Content? = nil) async throws {
        _ = try await exchange(method, path, content: content)
    }

    /// Returns a request with the key.
    func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(key.value)")
        return request
    }

    /// Performs a call and returns the content of the response and its media type.
    func exchange(
        _ method: HTTPMethod, _ path: String, content: Content?
    ) async throws -> (bytes: ByteBuffer, mediaType: String?) {
        var request = request(method, path)
        request.headers.add(name: "Accept", value: "application/json, \(Problem.contentType), image/*")
        if let content {
            request.headers.add(name: "Content-Type", value: content.type)
            request.body = .bytes(ByteBuffer(bytes: content.bytes))
        }
        let response: HTTPClientResponse
        let bytes: ByteBuffer
        do {
            response = try await http.execute(
                request, deadline: method == .GET ? .now() + Self.deadline : .distantFuture)
            bytes = try await response.body.collect(upTo: Self.maximumResponse)
        } catch {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
        guard (200..<300).contains(response.status.code) else {
            if let problem = try? APICoding.makeDecoder().decode(Problem.self, from: Data(bytes.readableBytesView)) {
                throw problem
            }
            throw APIClientError.unexpectedResponse(
                "\(method.rawValue) \(path.prefix { $0 != "?" }): status \(response.status.code)", address: address,
                cause: nil)
        }
        return (bytes, response.headers.first(name: "Content-Type"))
    }

    /// Returns a URL with its user information, optionally without the password. The server creates a header profile
    /// from the user information.
    package static func text(of url: ResourceURL, withPassword: Bool = true) -> String {
        guard let userInfo = url.userInfo else { return url.description }
        let user = withPassword ? userInfo : String(userInfo.prefix { $0 != ":" })
        return "\(url.scheme)://\(user)@\(url.authority)\(url.target)"
    }

    /// Percent-encodes all but the unreserved characters (RFC 3986 §2.3).
    static func escape(_ text: String) -> String {
        var output: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: output.append(byte)
            default: output += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
