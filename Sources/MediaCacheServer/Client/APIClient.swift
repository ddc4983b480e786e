internal import AsyncHTTPClient
internal import Foundation
public import MediaCache
internal import NIOCore
internal import NIOHTTP1

/// The API of a process that owns a cache folder, as calls.
///
/// Every call throws ``Problem`` if the owner answers with an error, ``APIClientError`` if it can't be reached or
/// answers what the API doesn't say, and `CancellationError`. Call ``close()`` when done.
public final class APIClient: Sendable {
    /// Where the owner answers: `http://127.0.0.1:9479`, without a slash at the end.
    public let address: String
    let key: AccessKey
    let http: HTTPClient

    /// Creates a client; it connects with the first call.
    ///
    /// - Parameters:
    ///   - address: where the owner answers.
    ///   - key: the cache's key, as its folder has it.
    public init(address: String, key: AccessKey) {
        self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
        self.key = key
        // A redirect would carry the key elsewhere; the API has none.
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(5)
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Closes the connections. No call may follow.
    public func close() async {
        try? await http.shutdown()
    }

    /// Who answers, and where.
    public func server() async throws -> ServerInfo {
        try await call(.GET, "/api/v1/server")
    }

    /// All kept resources, most recently used first.
    public func resources() async throws -> [ResourceRecord] {
        try await all(ResourceList.self, "/api/v1/resources")
    }

    /// The resource of a URL, or nil if nothing is kept of it; of a complete one also the path of its file, if asked
    /// for.
    public func resource(for url: ResourceURL, withFile: Bool = false) async throws -> ResourceRecord? {
        do {
            // Whose it is counts here, and no password is told where none is needed.
            let text = Self.text(of: url, withPassword: false)
            return try await call(.GET, "/api/v1/resources?url=\(Self.escape(text))&file=\(withFile)")
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// The resource of a number, or nil if it's no longer kept; of a complete one also the path of its file, if asked
    /// for.
    public func resource(id: Int64, withFile: Bool = false) async throws -> ResourceRecord? {
        do {
            return try await call(.GET, "/api/v1/resources/\(id)?file=\(withFile)")
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// Removes one resource; what is in use goes when its last reader leaves.
    public func remove(id: Int64) async throws -> [Removal] {
        let list: RemovalList = try await call(.DELETE, "/api/v1/resources/\(id)")
        return list.removed
    }

    /// Removes all resources; what is pinned only if asked to.
    public func removeAll(includingPinned: Bool) async throws -> [Removal] {
        let list: RemovalList = try await call(.DELETE, "/api/v1/resources?pinned=\(includingPinned)")
        return list.removed
    }

    /// Pins or unpins a resource; eviction leaves what is pinned alone.
    public func setPinned(_ pinned: Bool, id: Int64) async throws {
        try await send(pinned ? .PUT : .DELETE, "/api/v1/resources/\(id)/pin")
    }

    /// The URL by which players get `url` through the cache. It holds the standing playback token.
    public func playURL(for url: ResourceURL) async throws -> String {
        let link: PlayLink = try await call(.GET, "/api/v1/urls?url=\(Self.escape(Self.text(of: url)))")
        return link.playURL
    }

    /// Sets the header fields that go to one origin from now on; none removes them.
    public func setHeaderProfile(_ profile: HeaderProfileUpdate) async throws {
        try await send(.PUT, "/api/v1/header-profiles", content: try .json(profile))
    }

    /// Applies the limits now.
    public func prune() async throws -> PruneReport {
        try await call(.POST, "/api/v1/prune")
    }

    /// Compares all that is kept with its checksums. It takes as long as reading all of it does.
    public func verify(repair: Bool) async throws -> VerifyReport {
        try await call(.POST, "/api/v1/verify", content: try .json(VerifyRequest(repair: repair)))
    }

    /// How much is kept.
    public func usage() async throws -> UsageRecord {
        try await call(.GET, "/api/v1/usage")
    }

    /// What was played through and isn't in the library, most recently used first; a stream is one thing.
    public func played() async throws -> [PlayedRecord] {
        try await all(PlayedList.self, "/api/v1/played")
    }

    /// Removes something that was played with all it consists of; what is in use goes when its last reader leaves.
    public func removePlayed(id: Int64) async throws -> [Removal] {
        let list: RemovalList = try await call(.DELETE, "/api/v1/played/\(id)")
        return list.removed
    }

    /// What uses how much, and what would be given up next.
    public func storage() async throws -> StorageRecord {
        try await call(.GET, "/api/v1/storage")
    }

    /// What is at a URL; nothing of it is kept but what playing it would keep.
    ///
    /// - Parameters:
    ///   - url: the URL of a file, or of a playlist. User information in it is told to the owner.
    ///   - headers: header fields for its origin, by name.
    public func probe(_ url: ResourceURL, headers: [String: String]? = nil) async throws -> ProbeRecord {
        let request = ProbeRequest(url: Self.text(of: url), headers: headers)
        return try await call(.POST, "/api/v1/probe", content: try .json(request))
    }
}

extension APIClient {
    /// What a call sends.
    struct Content {
        /// The media type.
        var type: String
        /// The bytes.
        var bytes: [UInt8]

        /// A value as JSON.
        static func json(_ value: some Encodable) throws -> Content {
            Content(type: "application/json", bytes: Array(try APICoding.makeEncoder().encode(value)))
        }
    }

    /// An owner that is alive tells what is within this time. What changes something may work through all that is kept,
    /// and has no deadline.
    private static let deadline = TimeAmount.seconds(120)
    /// 100,000 resources of many spans are some 50 MB; more than this is no answer of ours.
    private static let maximumAnswer = 512 << 20

    func call<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, content: Content? = nil
    ) async throws -> Answer {
        let bytes = try await exchange(method, path, content: content)
        do {
            return try APICoding.makeDecoder().decode(Answer.self, from: Data(bytes.readableBytesView))
        } catch {
            throw APIClientError.unexpectedAnswer(
                "\(method.rawValue) \(path.prefix { $0 != "?" })", address: address, cause: error)
        }
    }

    /// All of a list, however many pages it comes in.
    func all<List: PagedList>(_ type: List.Type, _ path: String) async throws -> [List.Item] {
        var list: List = try await call(.GET, path)
        var items = list.items
        while let next = list.next, !list.items.isEmpty {
            list = try await call(.GET, "\(path)\(path.contains("?") ? "&" : "?")after=\(Self.escape(next))")
            items += list.items
        }
        return items
    }

    func send(_ method: HTTPMethod, _ path: String, content: Content? = nil) async throws {
        _ = try await exchange(method, path, content: content)
    }

    /// A request with the key.
    func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        request.headers.add(name: "Authorization", value: "Bearer \(key.value)")
        return request
    }

    func exchange(
        _ method: HTTPMethod, _ path: String, content: Content?
    ) async throws -> ByteBuffer {
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
            bytes = try await response.body.collect(upTo: Self.maximumAnswer)
        } catch {
            try Task.checkCancellation()
            throw APIClientError.unreachable(address: address, cause: error)
        }
        guard (200..<300).contains(response.status.code) else {
            if let problem = try? APICoding.makeDecoder().decode(Problem.self, from: Data(bytes.readableBytesView)) {
                throw problem
            }
            throw APIClientError.unexpectedAnswer(
                "\(method.rawValue) \(path.prefix { $0 != "?" }): status \(response.status.code)", address: address,
                cause: nil)
        }
        return bytes
    }

    /// The URL with its user information, which the owner makes a header profile of.
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
