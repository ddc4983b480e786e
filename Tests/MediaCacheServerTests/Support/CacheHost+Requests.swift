import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

extension CacheHost {
    /// Runs `body` with a host, whose folder is temporary unless `folder` names one, and closes the host.
    static func use(
        folder: String? = nil, origin: any Origin = ScriptedOrigin(),
        _ change: (inout ServerConfiguration) -> Void = { _ in }, _ body: (CacheHost) async throws -> Void
    ) async throws {
        let temporary = TestFolder()
        defer { withExtendedLifetime(temporary) {} }
        var configuration = ServerConfiguration(port: 0, logger: .silent)
        // A client that gets little processor time must not be disconnected.
        configuration.limits = ServerLimits(
            headTimeout: .seconds(600), bodyTimeout: .seconds(600), idleTimeout: .seconds(600))
        change(&configuration)
        var cache = CacheConfiguration(location: CacheLocation(folder: folder ?? temporary.path))
        cache.transfers.retries.budget = 0
        let host = try await CacheHost.open(cache, server: configuration, origin: origin)
        do {
            try await body(host)
        } catch {
            await host.close(grace: .zero)
            throw error
        }
        await host.close(grace: .zero)
    }

    func client() throws -> APIClient {
        APIClient(address: try #require(server.boundAddresses.first), key: key, origin: CurlOrigin())
    }

    /// Calls the API with the key.
    func call(_ method: String, _ path: String, _ fields: String..., body: String = "") async throws -> RawResponse {
        let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
        return try await exchange(method, path, ["Authorization: Bearer \(key.value)"] + fields + length, body)
    }

    /// Calls the API with the key, and decodes the response.
    func answer<Answer: Decodable>(
        _ method: String, _ path: String, body: String = "", as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        let response = try await call(method, path, body: body)
        try #require((200..<300).contains(response.status), "\(response.text)")
        return try response.decoded(type)
    }

    /// Adds a download, and waits until it ends.
    func download(_ addition: String) async throws -> DownloadRecord {
        var record: DownloadRecord = try await answer("POST", "/api/v1/downloads", body: addition)
        while !record.state.isEnded { record = try await answer("GET", "/api/v1/downloads/\(record.id)?wait=10000") }
        return record
    }

    func play(_ url: ResourceURL, _ method: String = "GET", _ fields: String...) async throws -> RawResponse {
        try await exchange(method, PlayTarget.path(for: url, token: server.playbackToken), fields)
    }

    /// Sends a request on a new connection.
    func exchange(
        _ method: String, _ path: String, _ fields: [String] = [], _ body: String = ""
    ) async throws -> RawResponse {
        let address = try #require(server.boundAddresses.first)
        let all = ["Host: \(address.dropFirst("http://".count))", "Connection: close"] + fields
        let head = "\(method) \(path) HTTP/1.1\r\n\(all.joined(separator: "\r\n"))\r\n\r\n"
        return try #require(try await LoopbackClient.exchange(address, head + body))
    }
}
