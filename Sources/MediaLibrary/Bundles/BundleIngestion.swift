internal import Foundation
package import MediaCache

/// Takes what was in a bundle into a store, as an asset that is complete.
package struct BundleIngestion: Sendable {
    /// What a bundle would bring is being downloaded.
    package struct DownloadInProgress: Error {
        /// Its URL.
        package let url: ResourceURL
        /// The asset.
        package let asset: AssetID
    }

    private let store: CacheStore
    private let shelf: AssetShelf

    /// Ingestion into a store.
    package init(store: CacheStore, shelf: AssetShelf) {
        self.store = store
        self.shelf = shelf
    }

    /// Makes the asset that the parts are of.
    ///
    /// - Parameter lost: how many segments its recording had lost; nil where it was none.
    /// - Returns: the asset; one that was complete before stays as it is.
    /// - Throws: `DownloadInProgress`; `CacheError`: `invalidURL`, `storage`.
    package func begin(
        title: String?, url: String, contents: AssetContents, lost: Int? = nil
    ) async throws -> (asset: Asset, isComplete: Bool) {
        let url = try ResourceURL(url).withoutUserInfo
        for part in contents.parts { _ = try ResourceURL(part.url) }
        let made = Asset(key: store.key(for: url), url: url.description, created: store.now)
        var asset = try await shelf.add(made)
        switch asset.download?.state {
        case .complete: return (asset, true)
        case nil, .completeWithHoles: break
        case .queued, .running, .paused, .waiting, .failed:
            throw DownloadInProgress(url: url, asset: asset.id)
        }
        asset.title = title ?? asset.title
        asset.lostCount = lost
        asset.kind = contents.playlists.isEmpty ? .file : .stream
        asset.duration = contents.duration > 0 ? contents.duration : asset.duration
        try await shelf.keep(asset)
        var contents = contents
        // The library's own records, which a bundle can't make: it may be anyone's.
        contents.selection = nil
        for index in contents.parts.indices {
            contents.parts[index].keptAs = nil
            contents.parts[index].scope = .publicOnly
        }
        if asset.download == nil {
            try await shelf.setContents(contents, of: asset.id)
        } else {
            // Of an earlier bundle, pinned.
            try await resources.replaceContents(of: asset, with: contents)
        }
        return (asset, false)
    }

    private var resources: AssetResources {
        AssetResources(store: store, shelf: shelf, settings: Downloads.storeSettings(store))
    }

    /// The folder of bytes that are being taken in, with mode 0700 in the cache folder.
    private static func incoming(of store: CacheStore) -> SideFolder { store.sideFolder("incoming") }

    /// Removes the files that a process left when it was killed while it took bytes in. For the owner of the cache folder,
    /// before it takes any.
    ///
    /// - Throws: `CacheError` with `storage`.
    package static func removeAbandoned(in store: CacheStore) async throws {
        guard store.keepsBytes else { return }
        let folder = incoming(of: store)
        for name in try await folder.names() { try await folder.remove(name) }
    }

    /// Keeps bytes of a part.
    ///
    /// - Parameters:
    ///   - bytes: some of them.
    ///   - offset: where they begin.
    ///   - length: how long the part's resource is.
    /// - Throws: `CacheError`: `notFound` where the asset has no such part, `representationChanged` where another version
    ///   of it is kept, `storage`.
    package func take(
        _ bytes: [UInt8], at offset: Int64, of length: Int64, as part: AssetPart
    ) async throws {
        let url = try ResourceURL(part.url)
        let file = try await Self.incoming(of: store).path(for: "\(UUID().uuidString).part")
        let ending = part.name.split(separator: ".").last.map(String.init) ?? ""
        let type = MediaType.resolve(
            sniffed: offset == 0 ? bytes.withUnsafeBytes { MediaType.sniff($0) } : nil, declared: nil,
            pathExtension: ending)
        let head = ResourceHead(
            length: length, contentType: type, validator: Validator(), validatedAt: store.now,
            entityTag: "\"mc-bundle-\(length)\"")
        defer { try? FileManager.default.removeItem(atPath: file) }
        try await BlockingWork.run {
            let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
            guard FileManager.default.createFile(atPath: file, contents: Data(bytes), attributes: mode) else {
                throw CacheError(.storage, "\(file) can't be written")
            }
        }
        try await store.ingest(file: file, range: offset..<offset + Int64(bytes.count), for: url, head: head)
    }

    /// Looks whether everything has come, and keeps it from being evicted.
    ///
    /// - Parameter gaps: whether parts may be missing.
    /// - Returns: the asset.
    /// - Throws: `CacheError`: `notFound`, naming what is missing; `storage`.
    package func finish(_ id: AssetID, gaps: Bool) async throws -> Asset {
        let asset = try await shelf.requireAsset(id)
        guard let contents = try await shelf.contents(of: id) else {
            throw CacheError(.notFound, "it isn't known what the asset \(id) consists of")
        }
        let urls = try Set(contents.parts.map(\.url)).map { try ResourceURL($0) }
        let holdings = try await store.holdings(of: urls.map { ReadRequest(url: $0) })
        let unpinned = Set(zip(urls, holdings).filter { $1?.isResourcePinned == false }.map { store.key(for: $0.0) })
        // Before they are looked at, so that none goes in between.
        do {
            try await store.setPinned(true, keys: urls.map { store.key(for: $0) })
            return try await complete(asset, contents, gaps: gaps)
        } catch {
            // What was pinned before is another's, or was in this asset when it was taken in before.
            try await store.setPinned(
                false, keys: unpinned.intersection(try await resources.exclusiveKeys(of: asset)))
            throw error
        }
    }

    /// Says of an asset what is here of it.
    private func complete(_ asset: Asset, _ contents: AssetContents, gaps: Bool) async throws -> Asset {
        var asset = asset
        var download = Download(
            selection: StreamSelection(variants: .all, audio: .all, subtitles: .all), added: asset.created)
        var seen: Set<String> = []
        for part in contents.parts where seen.insert(part.url).inserted {
            let info = try await store.resource(for: try ResourceURL(part.url))
            if let info, info.isComplete {
                download.bytes += info.bytesKept
                download.parts.done += 1
                continue
            }
            guard gaps else { throw CacheError(.notFound, "not all of the part \(part.name) has come") }
            download.holeCount += 1
            download.holes.append(
                DownloadHole(
                    url: part.url, role: part.role.rawValue, start: part.start, duration: part.duration,
                    reason: "it wasn't in the bundle", isRetryable: false))
        }
        download.parts.total = seen.count
        download.length = download.bytes
        download.isLengthKnown = download.holeCount == 0
        download.state = download.holeCount == 0 ? .complete : .completeWithHoles
        asset.download = download
        try await shelf.keep(asset)
        return try await shelf.requireAsset(asset.id)
    }
}
