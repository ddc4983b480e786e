internal import Foundation
package import MediaCache

/// The import of a bundle's parts into a store, as a complete asset.
package struct BundleIngestion: Sendable {
    /// An error thrown if the asset has a download that is neither complete nor complete with holes.
    package struct DownloadInProgress: Error {
        package let url: String
        package let asset: AssetID
    }

    private let store: CacheStore
    private let assetStore: AssetStore

    package init(store: CacheStore, assetStore: AssetStore) {
        self.store = store
        self.assetStore = assetStore
    }

    /// Creates the asset of the bundle.
    ///
    /// - Parameters:
    ///   - title: The title that the user has set; nil if there is none.
    ///   - defaultTitle: The title that the metadata of the media replaces; nil if there is none.
    ///   - lost: The number of segments that the asset's recording failed to fetch; nil if there are none.
    /// - Returns: The asset, and whether it was already complete. A complete asset isn't changed.
    /// - Throws: `DownloadInProgress`; `CacheError` with `invalidURL` or `storage`.
    package func begin(
        title: String?, defaultTitle: String? = nil, url: String, contents: AssetContents, lost: Int? = nil
    ) async throws -> (asset: Asset, isComplete: Bool) {
        let url = try ResourceURL(url).withoutUserInfo
        for part in contents.parts { _ = try ResourceURL(part.url) }
        var asset = try await assetStore.add(Asset(key: store.key(for: url), url: url.description, created: store.now))
        if try Self.isComplete(asset) { return (asset, true) }
        if let title {
            asset.setTitle(title, from: .user)
        } else if asset.title == nil, let defaultTitle {
            asset.setTitle(defaultTitle, from: .url)
        }
        asset.lostCount = lost
        asset.kind = contents.playlists.isEmpty ? .file : .stream
        asset.duration = contents.duration > 0 ? contents.duration : asset.duration
        try await assetStore.updateRecord(from: asset)
        var contents = contents
        // An untrusted bundle must not set these fields.
        contents.selection = nil
        for index in contents.parts.indices {
            contents.parts[index].storedAs = nil
            contents.parts[index].scope = .publicOnly
        }
        if asset.download == nil {
            try await assetStore.setContents(contents, of: asset.id)
        } else {
            // An earlier import may have pinned parts that the new contents don't include.
            try await resources.replaceContents(of: asset, with: contents)
        }
        return (asset, false)
    }

    /// Returns whether an asset is complete. Throws `DownloadInProgress` if an import would interfere with its download.
    private static func isComplete(_ asset: Asset) throws -> Bool {
        switch asset.download?.state {
        case .complete: true
        case nil, .completeWithHoles: false
        case .queued, .running, .paused, .waiting, .failed: throw DownloadInProgress(url: asset.url, asset: asset.id)
        }
    }

    private var resources: AssetResources {
        AssetResources(store: store, assetStore: assetStore, settings: Downloads.storeSettings(store))
    }

    private static func incoming(of store: CacheStore) -> SideFolder { store.sideFolder("incoming") }

    /// Removes files that interrupted imports of earlier processes have left behind. The owner of the cache folder must
    /// call this function before the first import.
    package static func removeAbandoned(in store: CacheStore) async throws {
        guard store.isWritable else { return }
        let folder = incoming(of: store)
        for name in try await folder.names() { try await folder.remove(name) }
    }

    /// Stores bytes of a part at an offset in its resource, which has `length` bytes. Throws `CacheError` with
    /// `invalidURL` or `storage`, or the errors of `CacheStore.ingest(file:range:for:head:kind:)`.
    package func store(_ bytes: [UInt8], at offset: Int64, of length: Int64, as part: AssetPart) async throws {
        let url = try ResourceURL(part.url)
        let file = try await Self.incoming(of: store).path(for: "\(UUID().uuidString).part")
        let ending = part.name.split(separator: ".").last.map(String.init) ?? ""
        let type = MediaType.resolve(
            sniffed: offset == 0 ? bytes.withUnsafeBytes { MediaType.sniff($0) } : nil, declared: nil,
            pathExtension: ending)
        let head = ResourceHead(
            length: length, contentType: type, validator: Validator(), validatedAt: store.now,
            entityTag: Self.entityTag(ofLength: length))
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await BlockingOperation.run {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: file, contents: Data(bytes), attributes: mode) else {
                throw CacheError(.storage, "the temporary file \(file) can't be written")
            }
        }
        try await store.ingest(file: file, range: offset..<offset + Int64(bytes.count), for: url, head: head)
    }

    private static func entityTag(ofLength length: Int64) -> String { "\"mc-bundle-\(length)\"" }

    /// Completes the import: checks that all parts are available, pins them, and reads the metadata of the media. A
    /// complete asset isn't changed.
    ///
    /// - Parameter gaps: Whether parts may be missing. If some are, the state of the download is `completeWithHoles`.
    /// - Throws: `DownloadInProgress`; `CacheError` with `notFound` for an unknown asset or a missing part, which the
    ///   message identifies.
    package func finish(_ id: AssetID, gaps: Bool) async throws -> Asset {
        let asset = try await assetStore.requireAsset(id)
        if try Self.isComplete(asset) { return asset }
        guard let contents = try await assetStore.contents(of: id) else {
            throw CacheError(.notFound, "the parts of asset \(id) are unknown; import the bundle again")
        }
        let urls = try Set(contents.parts.map(\.url)).map { try ResourceURL($0) }
        let coverages = try await store.coverage(of: urls.map { ReadRequest(url: $0) })
        let unpinned = Set(zip(urls, coverages).filter { $1?.isResourcePinned == false }.map { store.key(for: $0.0) })
        // Pinned before the check, so that no part is evicted in between.
        do {
            try await store.setPinned(true, keys: urls.map { store.key(for: $0) })
            return try await complete(asset, contents, gaps: gaps)
        } catch {
            // Pins set before this import belong to other assets or to an earlier import of this asset, so they remain.
            try await store.setPinned(false, keys: unpinned.intersection(try await resources.exclusiveKeys(of: asset)))
            throw error
        }
    }

    /// Returns whether the asset may contain a cached resource. A bundle can contain the URL of a resource that the
    /// user has cached from a local address. Under such a URL, the asset may only contain bytes stored by an import.
    private func isReadable(_ url: ResourceURL) async throws -> Bool {
        guard let coverage = try await store.coverage(of: [ReadRequest(url: url)]).first ?? nil else { return false }
        let settings = store.transfers.narrowed(to: .publicOnly)
        guard store.needsAccessCheck(coverage.addressKind, settings) else { return true }
        return coverage.length.map { coverage.entityTag == Self.entityTag(ofLength: $0) } ?? false
    }

    private func complete(_ asset: Asset, _ contents: AssetContents, gaps: Bool) async throws -> Asset {
        var asset = asset
        var download = Download(
            selection: StreamSelection(variants: .all, audio: .all, subtitles: .all), added: asset.created)
        var seen: Set<String> = []
        for part in contents.parts where seen.insert(part.url).inserted {
            let url = try ResourceURL(part.url)
            let info = try await store.resource(for: url)
            if let info, info.isComplete, try await isReadable(url) {
                download.bytes += info.bytesCached
                download.parts.done += 1
                continue
            }
            guard gaps else { throw CacheError(.notFound, "the part \(part.name) is incomplete") }
            download.holeCount += 1
            download.holes.append(
                DownloadHole(
                    url: part.url, role: part.role.rawValue, start: part.start, duration: part.duration,
                    reason: "missing from the bundle", isRetryable: !url.host.hasSuffix(".invalid")))
        }
        download.parts.total = seen.count
        download.length = download.bytes
        download.isLengthExact = download.holeCount == 0
        download.state = download.holeCount == 0 ? .complete : .completeWithHoles
        asset.download = download
        // Metadata that can't be read doesn't affect the import.
        let reader = MetadataReader(store: store, assetStore: assetStore)
        if let found = try? await reader.metadata(of: asset) { asset.apply(found) }
        try await assetStore.updateRecord(from: asset)
        return try await assetStore.requireAsset(asset.id)
    }
}
