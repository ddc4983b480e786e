internal import Foundation
internal import MediaCache

/// Downloads of live streams, each a recording of a separate, unlisted channel. A small file in the durable folder
/// describes the channel until the recording has become the asset's contents, so that the next process can continue the
/// recording.
struct LiveDownloads: Sendable {
    private static let suffix = ".json"

    private let dependencies: DownloadDependencies
    private let folder: SideFolder

    init(_ dependencies: DownloadDependencies) {
        self.dependencies = dependencies
        folder = dependencies.store.sideFolder("live-downloads")
    }

    /// Opens the recording of an asset, and creates it if there is none yet.
    func recording(of asset: Asset, events: EventHub<RecordingEvent>) async throws -> Recording {
        let name = asset.id.rawValue + Self.suffix
        var channel = try await channel(of: asset.id) ?? Self.channel(for: asset, created: dependencies.store.now)
        let url = try ResourceURL(asset.url).withoutUserInfo.description
        let hasOtherURL = !channel.hasEnded && channel.url != url
        if !channel.hasEnded {
            channel.url = url
            channel.endsAt = asset.download?.endsAt
        }
        channel.headers = asset.download?.headers ?? [:]
        try await Self.write(channel, as: name, in: folder)
        let recording = Recording(
            channel, dependencies: recordingDependencies(asset, name: name, events: events), hasOtherURL: hasOtherURL)
        try await recording.open()
        return recording
    }

    /// Deletes the recording of an asset, if there is one. With `keepingMedia`, the media to which the asset's contents
    /// refer remains.
    func remove(_ asset: Asset, keepingMedia: Bool) async throws {
        guard let channel = try await channel(of: asset.id) else { return }
        let name = asset.id.rawValue + Self.suffix
        let events = EventHub<RecordingEvent> { .dropped(count: $0) }
        let recording = Recording(channel, dependencies: recordingDependencies(asset, name: name, events: events))
        // A recording with unreadable pages can be removed, too.
        try? await recording.open()
        let kept = try await keepingMedia ? dependencies.assetStore.contents(of: asset.id)?.parts ?? [] : []
        try await recording.removeAll(keepingMedia: keepingMedia)
        if keepingMedia {
            // The contents don't list segments that wait for a key, or that follow an awaited segment. Without the
            // recording, they would stay pinned forever.
            _ = try await dependencies.store.remove(
                keysWithPrefix: channel.id.storedFolder, except: Set(kept.compactMap(\.storedAs)))
        }
        try await folder.remove(name)
    }

    /// Returns whether an asset has a recording that hasn't become its contents yet.
    func hasRecording(of asset: AssetID) async throws -> Bool {
        try await folder.contents(of: asset.rawValue + Self.suffix) != nil
    }

    private func channel(of asset: AssetID) async throws -> Channel? {
        guard let bytes = try await folder.contents(of: asset.rawValue + Self.suffix) else { return nil }
        do {
            return try JSONDecoder().decode(Channel.self, from: Data(bytes))
        } catch {
            throw CacheError(
                .storage,
                "the description of the live download \(asset) can't be read; remove the download and add it again",
                cause: error)
        }
    }

    private static func channel(for asset: Asset, created: Date) throws -> Channel {
        var request = ChannelRequest(
            name: ChannelName(asset.id), url: try ResourceURL(asset.url), identity: asset.identity,
            selection: asset.download?.selection ?? StreamSelection(), endsWithStream: true)
        request.endsWhenUnchanged = true
        return Channel(request, created: created)
    }

    private static func write(_ channel: Channel, as name: String, in folder: SideFolder) async throws {
        try await folder.write(Array(try JSONEncoder().encode(channel)), to: name)
    }

    private func recordingDependencies(_ asset: Asset, name: String, events: EventHub<RecordingEvent>)
        -> RecordingDependencies
    {
        RecordingDependencies(
            store: dependencies.store, recordingStore: CacheRecordingStore(dependencies.store),
            loader: dependencies.loader, events: events,
            settings: { [dependencies] url, identity, headers in
                var settings = try dependencies.transferSettings(url, identity, headers)
                guard let refresh = dependencies.refreshSource else { return settings }
                settings.refreshURL = { expired in
                    expired.description == asset.url ? try await refresh(asset) : nil
                }
                return settings
            },
            save: { [folder] in try await Self.write($0, as: name, in: folder) },
            exports: ProgrammeExports(dependencies.store, events: events, encoder: nil), ended: { _ in })
    }
}
