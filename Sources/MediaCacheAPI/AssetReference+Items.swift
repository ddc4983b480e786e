public import Foundation
public import MediaCache
public import MediaLibrary

extension APIClient {
    /// Returns the item that a reference identifies: an asset, a channel, or a played file or stream. The number of any
    /// other resource, such as a segment, identifies an item of its own.
    ///
    /// - Throws: `MediaJobError` if no item or more than one matches; ``Problem``, ``APIClientError`` or
    ///   `CancellationError`.
    public func item(_ reference: AssetReference) async throws -> LibraryItem {
        if let item = try await itemIfFound(reference) { return item }
        throw MediaJobError(.failed, "there is no item \(reference.text); check its URL, ID or title")
    }

    /// Returns the item that a reference identifies; nil if there is none.
    ///
    /// - Throws: See ``item(_:)``.
    public func itemIfFound(_ reference: AssetReference) async throws -> LibraryItem? {
        var resource: ResourceRecord?
        if case .id(let id) = reference { resource = try await self.resource(id: id) }
        var found = reference.matches(in: try await libraryItems(), url: resource?.url)
        if let resource, !found.contains(where: { $0.id == "\(resource.id)" || $0.url == resource.url }) {
            found.append(LibraryItem(resource))
        }
        return try reference.single(found, noun: "item")
    }

    /// Returns the URL at the origin. If the reference is a URL, it is returned unchanged, even if it isn't cached.
    ///
    /// - Throws: See ``item(_:)``; `MediaJobError` if only segments are cached.
    public func originURL(of reference: AssetReference) async throws -> ResourceURL {
        if case .url(let url) = reference { return url }
        return try await item(reference).playableURL
    }

    /// Returns the URL with which a player on this machine plays the referenced media: a completed asset from the
    /// library, a channel from its recording, and other media through the cache.
    ///
    /// - Throws: See ``originURL(of:)``.
    public func playURL(of reference: AssetReference) async throws -> String {
        if case .url(let url) = reference { return try await playURL(for: url) }
        let item = try await item(reference)
        if let channel = item.channelName { return try await self.channel(channel).liveURL }
        guard let entry = try await libraryEntry(of: item) else {
            return try await playURL(for: try item.playableURL)
        }
        return try await asset(item.id).libraryURL + entry
    }

    /// Issues a token with which a player plays the referenced media. ``TokenRecord/playURL`` is the URL to play, as in
    /// ``playURL(of:)``.
    ///
    /// - Throws: See ``originURL(of:)`` and ``issueToken(_:)``.
    public func issuePlayToken(
        for reference: AssetReference, label: String? = nil, expires: Date? = nil
    ) async throws -> TokenRecord {
        var addition = TokenAddition(scope: .playback, label: label, expires: expires)
        if case .url(let url) = reference {
            addition.url = Self.text(of: url)
            return try await issueToken(addition)
        }
        let item = try await item(reference)
        switch item.kind {
        case .asset: (addition.scope, addition.asset) = (.asset, item.id)
        case .file, .stream, .parts: addition.url = "\(try item.playableURL)"
        case .channel: break
        }
        let entry = try await libraryEntry(of: item)
        var record = try await issueToken(addition)
        if let entry, let base = record.libraryURL { record.playURL = base + entry }
        if let name = item.channelName, let token = record.token {
            record.playURL = "\(address)\(PlayPath.tokenPrefix)\(token)/live/\(name)/index.m3u8"
        }
        return record
    }

    /// Returns the input of a job that reads the referenced media. A completed asset is read from the library, where
    /// its playlists contain only its own parts.
    ///
    /// - Throws: See ``originURL(of:)``.
    public func mediaInput(of reference: AssetReference) async throws -> MediaInput {
        if case .url(let url) = reference { return .url(url) }
        let item = try await item(reference)
        if let name = item.channelName { return .url(try ResourceURL(liveURL(of: name) + "index.m3u8")) }
        guard let entry = try await libraryEntry(of: item) else { return .url(try item.playableURL) }
        return .url(try ResourceURL(libraryURL(ofAsset: item.id) + entry))
    }

    /// Returns the name of the file or top playlist of an asset that plays without its origin, because its download,
    /// import or recording has ended; nil for other items.
    private func libraryEntry(of item: LibraryItem) async throws -> String? {
        guard item.kind == .asset else { return nil }
        if let state = item.state {
            let ended = [
                DownloadRecord.State.complete.rawValue, DownloadRecord.State.completeWithHoles.rawValue,
                ChannelRecord.State.ended.rawValue,
            ]
            guard ended.contains(state) else { return nil }
        } else if try await resource(for: try ResourceURL(item.url)) != nil {
            // The asset was played.
            return nil
        }
        return try await bundle(ofAsset: item.id).contents?.entry
    }

    /// Returns the asset that a reference identifies; nil if there is none.
    ///
    /// - Throws: See ``originURL(of:)``; `MediaJobError` if the reference names a channel.
    public func asset(of reference: AssetReference) async throws -> AssetRecord? {
        if case .url(let url) = reference { return try await asset(for: url) }
        let item = try await item(reference)
        return item.kind == .asset ? try await asset(item.id) : try await asset(for: try item.assetURL)
    }

    /// Returns the asset that a reference identifies, and creates it if necessary; nil if no data of a URL is cached.
    ///
    /// - Throws: See ``asset(of:)``.
    public func addAsset(of reference: AssetReference) async throws -> AssetRecord? {
        if case .url(let url) = reference { return try await addAsset(for: url) }
        let item = try await item(reference)
        return item.kind == .asset ? try await asset(item.id) : try await addAsset(for: try item.assetURL)
    }
}

extension LibraryItem {
    /// The name of the channel; nil for other items.
    public var channelName: ChannelName? { kind == .channel ? ChannelName(rawValue: id) : nil }

    /// The URL at the origin.
    ///
    /// - Throws: `MediaJobError` if only segments are cached; `CacheError`.
    fileprivate var playableURL: ResourceURL {
        get throws {
            guard kind != .parts else {
                throw MediaJobError(
                    .failed,
                    "only segments of “\(title ?? url)” are cached, not its playlist; "
                        + "use the stream's URL")
            }
            return try ResourceURL(url)
        }
    }

    /// The URL whose asset belongs to the item.
    ///
    /// - Throws: `MediaJobError` for a channel, and if only segments are cached; `CacheError`.
    fileprivate var assetURL: ResourceURL {
        get throws {
            guard kind != .channel else {
                throw MediaJobError(
                    .failed, "“\(id)” is a channel, not an asset; `export` writes its recording to a file")
            }
            return try playableURL
        }
    }
}
