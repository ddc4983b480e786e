import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaLibrary

/// A gateway that reads media through the API of a running server.
struct APIGateway: BundleGateway {
    var client: APIClient
    /// Whether only cached bytes are read, without contacting origins.
    var cachedOnly = false

    func servedURL(for url: ResourceURL) async throws -> String {
        let playURL = try await client.playURL(for: url)
        return cachedOnly ? APIClient.cachedOnly(playURL) : playURL
    }

    func servedURL(known url: String) -> String? {
        if client.isLibraryURL(url) { return url }
        guard url.hasPrefix(client.address + "/play/") else { return nil }
        return cachedOnly ? APIClient.cachedOnly(url) : url
    }

    func read(_ url: String, range: Range<Int64>?, limit: Int) async throws -> FetchedBytes {
        FetchedBytes(try await client.media(at: url, range: range, limit: limit))
    }

    func cachedResource(at url: ResourceURL) async throws -> CachedResource? {
        guard let record = try await client.resource(for: url), record.complete, !record.withCredentials,
            let resource = try await client.resource(id: record.id, withFile: true)
        else { return nil }
        return CachedResource(length: resource.length, file: resource.localFile)
    }

    func cover(ofAsset id: String) async throws -> Cover? { try await client.cover(of: id) }
}

/// A gateway that reads a film from the server in this process. It can't read other URLs.
struct LocalServerGateway: MediaGateway {
    /// The scheme and authority of the server.
    let address: String
    private let client: APIClient

    init(toServerOf url: String) {
        let start = url.firstRange(of: "://")?.upperBound
        address = start.map { String(url[..<(url[$0...].firstIndex(of: "/") ?? url.endIndex)]) } ?? ""
        // The URLs contain the authorization. The key is unused, since the API isn't called.
        client = APIClient(address: address, key: AccessKey(), origin: CurlOrigin())
    }

    func servedURL(for url: ResourceURL) async throws -> String {
        if let known = servedURL(known: "\(url)") { return known }
        throw CommandFailure(.failed, "\(url) isn't served by the cache and can't be read")
    }

    func servedURL(known url: String) -> String? { url.hasPrefix(address + "/") ? url : nil }

    func read(_ url: String, range: Range<Int64>?, limit: Int) async throws -> FetchedBytes {
        FetchedBytes(try await client.media(at: url, range: range, limit: limit))
    }
}

extension FetchedBytes {
    fileprivate init(_ part: MediaPart) {
        self.init(
            offset: part.offset, bytes: part.bytes, completeLength: part.completeLength, entityTag: part.entityTag)
    }
}
