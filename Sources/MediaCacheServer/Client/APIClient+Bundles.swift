public import MediaLibrary
internal import NIOCore
internal import NIOHTTP1

extension APIClient {
    /// The most bytes of a part that one call brings.
    public static let bundlePieceLength = 8 << 20

    /// Where an asset's playlists and parts are read: their names stand behind this.
    public func libraryURL(ofAsset id: String) -> String { "\(address)/library/\(Self.escape(id))/" }

    /// Whether a URL is one of the library or of a channel at this owner; ``media(at:range:limit:)`` reads those with the
    /// key, wherever the owner listens.
    public func isLibraryURL(_ url: String) -> Bool {
        ["/library/", "/live/"].contains { url.hasPrefix(address + $0) }
    }

    /// What is to be known of an asset for writing it to a folder.
    ///
    /// - Parameter name: its name in URLs, its URL, or its title.
    /// - Throws: ``Problem`` with the status 404 where there is none.
    public func bundle(ofAsset name: String) async throws -> BundleRecord {
        try await call(.GET, "/api/v1/bundles?asset=\(Self.escape(name))")
    }

    /// The same of a window of a channel.
    ///
    /// - Parameters:
    ///   - name: the channel.
    ///   - from: when the window begins, in milliseconds since 1970.
    ///   - to: when it ends, likewise.
    /// - Throws: ``Problem`` with the status 404 where it isn't kept, or isn't over.
    public func bundle(ofWindowOf name: ChannelName, from: Int64, to: Int64) async throws -> BundleRecord {
        try await call(.GET, "/api/v1/bundles?channel=\(name)&from=\(from)&to=\(to)")
    }

    /// Makes an asset whose parts ``bring(_:at:of:part:to:)`` brings; one that is complete already stays as it is.
    public func beginBundle(_ request: BundleImportRequest) async throws -> BundleRecord {
        try await call(.POST, "/api/v1/bundles", content: try .json(request))
    }

    /// Brings bytes of a part.
    ///
    /// - Parameters:
    ///   - bytes: at most ``bundlePieceLength``.
    ///   - offset: where they begin.
    ///   - length: how long the part's resource is.
    ///   - part: the part's name.
    ///   - asset: the asset's name.
    public func bring(
        _ bytes: [UInt8], at offset: Int64, of length: Int64, part: String, to asset: String
    ) async throws {
        let path = part.split(separator: "/").map { Self.escape(String($0)) }.joined(separator: "/")
        _ = try await exchange(
            .PUT, "/api/v1/bundles/\(Self.escape(asset))/\(path)?offset=\(offset)&length=\(length)",
            content: Content(type: "application/octet-stream", bytes: bytes))
    }

    /// Ends bringing: the asset is complete, if everything has come.
    public func endBundle(_ asset: String, gaps: Bool) async throws -> BundleRecord {
        try await call(.POST, "/api/v1/bundles/\(Self.escape(asset))/complete?gaps=\(gaps)")
    }
}
