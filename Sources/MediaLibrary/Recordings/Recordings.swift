internal import Foundation
internal import HTTPTypes
public import MediaCache
internal import Synchronization

/// The channels of a store and their recordings.
///
/// ```swift
/// let recordings = Recordings(store: store, assetStore: assetStore, loader: loader)
/// try await recordings.start()
/// try await recordings.add(ChannelRequest(name: name, url: url, retention: Retention(seconds: 86_400)))
/// ```
public actor Recordings {
    private static let suffix = ".json"

    private let store: CacheStore
    private let assetStore: AssetStore
    private let folder: SideFolder
    private let dependencies: RecordingDependencies
    private let owner = Owner()
    nonisolated let exports: ProgrammeExports
    nonisolated let hub = EventHub<RecordingEvent> { .dropped(count: $0) }
    private nonisolated let known = Mutex<[ChannelName: Recording]>([:])
    /// A lock that serializes changes to channels.
    let changes = ConcurrencyLimit()
    private var isStarted = false
    private var isLoaded = false

    /// A weak reference to the actor, for the callback of ended recordings.
    private final class Owner: Sendable {
        private struct Reference { weak var recordings: Recordings? }
        private let reference = Mutex(Reference())

        var recordings: Recordings? {
            get { reference.withLock { $0.recordings } }
            set { reference.withLock { $0.recordings = newValue } }
        }
    }

    /// Creates the recordings of a store. Channels are loaded by ``start(resuming:)``.
    ///
    /// - Parameters:
    ///   - store: The store of the media.
    ///   - assetStore: The store to which ended recordings are added as assets.
    ///   - loader: The loader of playlists, shared with playback.
    ///   - settings: The source of transfer settings; nil for the store's settings plus the channel's header fields.
    ///   - encoder: The encoder of 3GP exports; nil if none is available.
    public init(
        store: CacheStore, assetStore: AssetStore, loader: PlaylistLoader, settings: Downloads.SettingsSource? = nil,
        encoder: (any MediaFileEncoder)? = nil
    ) {
        self.store = store
        self.assetStore = assetStore
        let folder = store.sideFolder("channels")
        self.folder = folder
        exports = ProgrammeExports(store, events: hub, encoder: encoder)
        dependencies = RecordingDependencies(
            store: store, recordingStore: CacheRecordingStore(store), loader: loader, events: hub,
            settings: settings ?? Downloads.storeSettings(store),
            save: { try await Self.write($0, to: folder) }, exports: exports,
            ended: { [owner] in await owner.recordings?.ended($0) })
    }

    // MARK: - Starting and stopping

    /// Loads the channels and resumes their recordings.
    ///
    /// - Parameter resuming: Whether to resume recordings and export finished programmes. If false, channels are only
    ///   loaded, and programmes aren't exported before a recording is started.
    /// - Throws: `CacheError` with `storage`.
    public func start(resuming: Bool = true) async throws {
        try await changes.runUncancelled {
            owner.recordings = self
            try await load()
            isStarted = true
            guard resuming else { return }
            await exports.start()
            for recording in all {
                let channel = await recording.channel
                // Recording starts first, so that the exports wait for segments that are still being fetched.
                if channel.isWanted, !channel.hasEnded { await recording.start() }
                await recording.exportFinishedProgrammes()
                if channel.hasEnded, channel.isAsset != true { await ended(recording) }
            }
        }
    }

    /// Stops all recordings and exports, which ``start(resuming:)`` resumes, and ends all streams of events.
    public func stop() async {
        await changes.runUncancelled {
            isStarted = false
            await exports.stop()
            await withTaskGroup(of: Void.self) { tasks in
                for recording in all {
                    tasks.addTask {
                        await recording.interruptPruning()
                        await recording.stop()
                    }
                }
            }
        }
        hub.finish()
    }

    /// Returns a stream of future events.
    ///
    /// Each call creates an independent stream that buffers up to 512 events. If a subscriber is too slow, further
    /// events are dropped and reported as ``RecordingEvent/dropped(count:)``.
    public nonisolated func events() -> AsyncStream<RecordingEvent> { hub.stream() }

    private nonisolated var all: [Recording] { known.withLock { Array($0.values) } }

    /// Returns the recording of a channel; nil if no channel has this name.
    package nonisolated func recording(_ name: ChannelName) -> Recording? { known.withLock { $0[name] } }

    /// Returns the recording of a channel, or throws an error with the existing names.
    func require(_ name: ChannelName) throws -> Recording {
        if let recording = recording(name) { return recording }
        let names = known.withLock { $0.keys.sorted().map(\.rawValue) }.joined(separator: ", ")
        throw CacheError(
            .notFound,
            "there is no channel \(name); " + (names.isEmpty ? "no channels exist" : "existing channels: \(names)"))
    }

    // MARK: - Status

    /// Returns the status of all channels, sorted by name. Queues the exports of programmes that have ended.
    public func statuses() async -> [RecordingStatus] {
        var statuses: [RecordingStatus] = []
        for (_, recording) in known.withLock({ $0.sorted { $0.key < $1.key } }) {
            statuses.append(await Self.status(of: recording))
        }
        return statuses
    }

    /// Returns the status of a channel. Queues the exports of programmes that have ended.
    ///
    /// - Throws: `CacheError` with `notFound` and the existing names.
    public func status(of name: ChannelName) async throws -> RecordingStatus {
        await Self.status(of: try require(name))
    }

    private static func status(of recording: Recording) async -> RecordingStatus {
        // A stopped recording doesn't check by itself whether programmes have ended.
        await recording.exportFinishedProgrammes()
        return await recording.status()
    }

    /// Whether any channel is being recorded.
    public var isRecording: Bool {
        get async {
            for recording in all where await recording.isRunning { return true }
            return false
        }
    }

    // MARK: - Channels

    /// Adds a channel and starts recording it, if requested. If a channel with the same name and URL exists, its
    /// settings are updated, its recording resumes if requested, and segments beyond the new limits are removed.
    ///
    /// - Throws: `CacheError`: `invalidSetting` if the existing channel with this name has another URL or selection or
    ///   has ended; `storage`.
    @discardableResult
    public func add(_ request: ChannelRequest) async throws -> Channel {
        let (recording, isNew) = try await addRecording(request)
        // Not serialized with other changes, because removing segments may take a long time.
        if !isNew { await recording.retentionChanged() }
        return await recording.channel
    }

    private func addRecording(_ request: ChannelRequest) async throws -> (recording: Recording, isNew: Bool) {
        try await changes.runUncancelled {
            if let recording = recording(request.name) {
                let channel = await recording.channel
                guard channel.url == request.url.withoutUserInfo.description else {
                    throw CacheError(
                        .invalidSetting,
                        "the channel \(request.name) records \(channel.url); use another name, or delete the channel "
                            + "first")
                }
                guard !channel.hasEnded else {
                    throw CacheError(
                        .invalidSetting,
                        "the recording \(request.name) has ended; use another name, or delete the channel first")
                }
                guard channel.selection == request.selection else {
                    throw CacheError(
                        .invalidSetting,
                        "the channel \(request.name) is recorded with another selection of variants and languages, "
                            + "which can't be changed; record the new selection under another name, or end the "
                            + "recording and delete the channel first")
                }
                try await recording.change { channel in
                    channel.retention = request.retention
                    channel.endsAt = request.endsAt
                    channel.endsAtOnce = nil
                    channel.endsWithStream = request.endsWithStream
                    channel.headers = request.headers
                    channel.identity = request.identity
                    if !channel.isWanted { channel.hasEndList = nil }
                    channel.isWanted = channel.isWanted || request.starts
                }
                if isStarted, await recording.channel.isWanted { await run(recording) }
                return (recording, false)
            }
            let channel = Channel(request, created: store.now)
            try await dependencies.save(channel)
            let recording = Recording(channel, dependencies: dependencies)
            try await recording.open()
            known.withLock { $0[channel.name] = recording }
            if isStarted, channel.isWanted { await run(recording) }
            return (recording, true)
        }
    }

    /// Starts a recording, and the exports of programmes.
    private func run(_ recording: Recording) async {
        await exports.start()
        await recording.start()
    }

    /// Starts or resumes recording a channel.
    ///
    /// - Throws: `CacheError`: `notFound`; `invalidSetting` if its recording has ended; `storage`.
    public func start(_ name: ChannelName) async throws {
        try await changes.runUncancelled {
            let recording = try require(name)
            guard await !recording.channel.hasEnded else {
                throw CacheError(.invalidSetting, "the recording \(name) has ended; record it under another name")
            }
            try await recording.change { channel in
                // The stream may have restarted since the channel was stopped.
                if !channel.isWanted { channel.hasEndList = nil }
                channel.isWanted = true
            }
            if isStarted { await run(recording) }
        }
    }

    /// Stops recording a channel. On return, none of its tasks is running. Recorded media remains available.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func stop(_ name: ChannelName) async throws {
        try await changes.runUncancelled {
            let recording = try require(name)
            try await recording.change { $0.isWanted = false }
            await recording.stop()
        }
    }

    /// Ends the recording of a channel. Unless the recording is empty, it becomes an asset of the library. Does nothing
    /// if the recording has ended.
    ///
    /// Before the call returns, segments that the playlists already list have ten seconds to arrive. If
    /// ``start(resuming:)`` hasn't been called, the recording ends after that call.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func end(_ name: ChannelName) async throws {
        let now = store.now
        let recording = try await changes.runUncancelled {
            let recording = try require(name)
            guard await !recording.channel.hasEnded else { return recording }
            try await recording.setEnd(at: now)
            if isStarted { await run(recording) }
            return recording
        }
        await recording.waitUntilEnded()
    }

    /// Deletes a channel and its media. If the recording has become an asset, the asset and its media remain.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func remove(_ name: ChannelName) async throws {
        try await changes.runUncancelled {
            let recording = try require(name)
            await recording.stop()
            let programmes = await recording.channel.programmes
            // Removed first, so that no running export stores its result in the deleted channel.
            try await recording.change { $0.programmes = [] }
            for programme in programmes { try await removeExports(of: programme) }
            let isAsset = try await assetStore.asset(withKey: Self.assetKey(of: recording.id)) != nil
            try await recording.removeAll(keepingMedia: isAsset)
            try await folder.remove(recording.id.rawValue + Self.suffix)
            known.withLock { $0[name] = nil }
            hub.send(.removed(name))
        }
    }

    /// Deletes the recording of a removed asset, if there is one.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    package func assetRemoved(_ asset: Asset) async throws {
        guard let recording = all.first(where: { Self.assetKey(of: $0.id) == asset.key }) else { return }
        try await remove(await recording.channel.name)
    }

    /// Sets the limits of a channel. Segments beyond the limits are removed before the call returns.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func setRetention(_ retention: Retention, of name: ChannelName) async throws {
        let recording = try await changes.runUncancelled {
            let recording = try require(name)
            try await recording.change { $0.retention = retention }
            return recording
        }
        await recording.retentionChanged()
    }

    // MARK: - Assets

    private static func assetKey(of recording: RecordingID) -> String { "\(Asset.recordingKeyPrefix)\(recording)" }

    /// Adds an ended recording to the library as an asset. An empty recording isn't added.
    private func ended(_ recording: Recording) async {
        do {
            guard let window = try await recording.whole() else { return }
            let channel = await recording.channel
            var asset = Asset(key: Self.assetKey(of: recording.id), url: channel.url, created: store.now)
            asset.setTitle(channel.name.rawValue, from: .user)
            asset.kind = .stream
            asset.duration = window.contents.duration
            asset.lostCount = window.gaps
            asset = try await assetStore.add(asset)
            try await assetStore.setContents(window.contents, of: asset.id)
            try await recording.change { $0.isAsset = true }
        } catch {
            // The channel remains available. It's added as an asset at the next start.
        }
    }

    // MARK: - Files

    private func load() async throws {
        guard !isLoaded else { return }
        var areAllKnown = true
        for name in try await folder.names() where name.hasSuffix(Self.suffix) {
            guard let bytes = try await folder.contents(of: name),
                let channel = try? JSONDecoder().decode(Channel.self, from: Data(bytes))
            else {
                areAllKnown = false
                continue
            }
            let recording = Recording(channel, dependencies: dependencies)
            known.withLock { $0[channel.name] = recording }
            // A recording is listed without its unreadable tracks, and doesn't prevent loading the others.
            try? await recording.open()
        }
        try await removeStaleExports(areAllKnown: areAllKnown)
        isLoaded = true
    }

    /// Deletes drafts and files without a programme, and requests exports again whose files are missing.
    private func removeStaleExports(areAllKnown: Bool) async throws {
        var done: [(name: String, recording: Recording, programme: String, format: ProgrammeFormat)] = []
        for recording in all {
            for programme in await recording.channel.programmes {
                for export in programme.exports where export.format != .hls {
                    guard case .done = export.state else { continue }
                    done.append(
                        (ExportFolder.name(programme.id, export.format), recording, programme.id, export.format))
                }
            }
        }
        let remaining = try await exports.folder.clear(except: areAllKnown ? Set(done.map(\.name)) : nil)
        for (name, recording, programme, format) in done where !remaining.contains(name) {
            try await recording.change { channel in
                guard let index = channel.programmes.firstIndex(where: { $0.id == programme }) else { return }
                channel.programmes[index][format] = ProgrammeExport(format)
            }
        }
    }

    private static func write(_ channel: Channel, to folder: SideFolder) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try await folder.write(Array(try encoder.encode(channel)), to: channel.id.rawValue + suffix)
    }
}
