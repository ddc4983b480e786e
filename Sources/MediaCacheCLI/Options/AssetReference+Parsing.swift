import MediaCache
import MediaCacheAPI

extension AssetReference {
    /// Parses an argument: a URL, the ID of a resource, or the ID or title of an item.
    init(parsing text: String) throws {
        do {
            try self.init(text)
        } catch let error as CacheError {
            throw ArgumentTextError(error.message)
        }
    }

    /// Returns the URL at the origin. The cache is opened unless the reference is a URL.
    func originURL(in cache: CacheOptions) async throws -> ResourceURL {
        if let url { return url }
        return try await Connection.use(try HostSettings(cache: cache), waits: false) {
            try await $0.client.originURL(of: self)
        }
    }
}
