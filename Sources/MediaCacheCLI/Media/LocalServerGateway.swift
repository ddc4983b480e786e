import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaLibrary

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
