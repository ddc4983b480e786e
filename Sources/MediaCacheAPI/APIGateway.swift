public import MediaCache
public import MediaLibrary

/// A gateway through which jobs read media from a cache, by the API of its server.
///
/// ```swift
/// let gateway = APIGateway(client: client, cachedOnly: true)
/// let result = try await job.run(gateway: gateway)
/// ```
public struct APIGateway: BundleGateway {
    /// The client of the server.
    public var client: APIClient
    /// Whether only cached bytes are read, without contacting origins.
    public var cachedOnly: Bool

    /// Creates a gateway.
    public init(client: APIClient, cachedOnly: Bool = false) {
        self.client = client
        self.cachedOnly = cachedOnly
    }

    /// Returns the play URL of a URL.
    ///
    /// - Throws: The errors of ``APIClient/playURL(for:)``.
    public func servedURL(for url: ResourceURL) async throws -> String {
        let playURL = try await client.playURL(for: url)
        return cachedOnly ? APIClient.cachedOnly(playURL) : playURL
    }

    /// Returns the URL to read if `url` is a URL of the server; otherwise nil.
    public func servedURL(known url: String) -> String? {
        if client.isLibraryURL(url) { return url }
        guard url.hasPrefix(client.address + PlayPath.prefix) else { return nil }
        return cachedOnly ? APIClient.cachedOnly(url) : url
    }

    /// Reads bytes of a URL of the server.
    ///
    /// - Throws: The errors of ``APIClient/media(at:range:limit:)``.
    public func read(_ url: String, range: Range<Int64>?, limit: Int) async throws -> FetchedBytes {
        FetchedBytes(try await client.media(at: url, range: range, limit: limit))
    }

    /// Returns the resource at a URL; nil if it isn't completely cached, or belongs to a single user.
    ///
    /// - Throws: ``Problem``, ``APIClientError``, `CancellationError`.
    public func cachedResource(at url: ResourceURL) async throws -> CachedResource? {
        guard let record = try await client.resource(for: url), record.complete, !record.withCredentials,
            let resource = try await client.resource(id: record.id, withFile: true)
        else { return nil }
        return CachedResource(length: resource.length, file: resource.localFile)
    }

    /// Returns the cover of an asset; nil if it has none.
    ///
    /// - Throws: ``Problem``, ``APIClientError``, `CancellationError`.
    public func cover(ofAsset id: String) async throws -> Cover? { try await client.cover(of: id) }
}

extension FetchedBytes {
    /// Creates the bytes of a response to ``APIClient/media(at:range:limit:)``.
    package init(_ part: MediaPart) {
        self.init(
            offset: part.offset, bytes: part.bytes, completeLength: part.completeLength, entityTag: part.entityTag)
    }
}
