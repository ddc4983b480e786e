public import MediaCache
public import MediaLibrary
internal import NIOCore
internal import NIOHTTP1

extension APIClient {
    /// All assets, the newest first.
    public func assets() async throws -> [AssetRecord] {
        try await all(AssetList.self, "/api/v1/assets")
    }

    /// Changes what a person calls an asset.
    @discardableResult
    public func updateAsset(_ id: String, _ update: AssetUpdate) async throws -> AssetRecord {
        try await call(.PATCH, "/api/v1/assets/\(Self.escape(id))", content: try .json(update))
    }

    /// Forgets an asset, and removes what no other asset has of it.
    public func removeAsset(_ id: String) async throws {
        try await send(.DELETE, "/api/v1/assets/\(Self.escape(id))")
    }

    /// The asset that begins with what is kept of a URL; made if it's none.
    ///
    /// - Returns: nil if nothing is kept of the URL.
    public func addAsset(for url: ResourceURL) async throws -> AssetRecord? {
        do {
            let request = AssetRequest(url: Self.text(of: url, withPassword: false))
            return try await call(.POST, "/api/v1/assets", content: try .json(request))
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// The asset that begins with what is kept of a URL, or nil.
    public func asset(for url: ResourceURL) async throws -> AssetRecord? {
        do {
            return try await call(
                .GET, "/api/v1/assets?url=\(Self.escape(Self.text(of: url, withPassword: false)))")
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// The picture that is kept with an asset, or nil.
    public func cover(of id: String) async throws -> Cover? {
        do {
            let bytes = try await exchange(.GET, "/api/v1/assets/\(Self.escape(id))/cover", content: nil)
            return Cover(bytes: Array(bytes.readableBytesView), mediaType: "image/jpeg")
        } catch let problem as Problem where problem.status == 404 {
            return nil
        }
    }

    /// Keeps a picture with an asset, in place of the one it has.
    @discardableResult
    public func setCover(_ cover: Cover, of id: String) async throws -> AssetRecord {
        let content = Content(type: cover.mediaType, bytes: cover.bytes)
        return try await call(.PUT, "/api/v1/assets/\(Self.escape(id))/cover", content: content)
    }

    /// Removes the picture that is kept with an asset, if there is one.
    @discardableResult
    public func removeCover(of id: String) async throws -> AssetRecord {
        try await call(.DELETE, "/api/v1/assets/\(Self.escape(id))/cover")
    }

    /// Removes all pictures that are kept with assets.
    ///
    /// - Returns: how many there were.
    public func removeCovers() async throws -> CoverUsage {
        try await call(.DELETE, "/api/v1/covers")
    }
}
