internal import Foundation
internal import HTTPTypes
public import MediaCache
internal import Synchronization

/// The channels of a store: what is recorded, what was, and what is kept of it.
///
/// ```swift
/// let recordings = Recordings(store: store, shelf: shelf, loader: loader)
/// try await recordings.start()
/// try await recordings.add(ChannelRequest(name: name, url: url, retention: Retention(seconds: 86_400)))
/// ```
public actor Recordings {
    private static let suffix = ".json"

    private let store: CacheStore
    private let shelf: AssetShelf
    private let folder: SideFolder
    private let work: RecordingWork
    private let owner = Owner()
    nonisolated let exports: ProgrammeExports
    nonisolated let hub = EventHub<RecordingEvent> { .dropped(count: $0) }
    private nonisolated let known = Mutex<[ChannelName: Recording]>([:])
    /// One change of the channels at a time.
    let turns = Turns()
    private var isStarted = false
    private var isLoaded = false

    /// What a recording tells that has ended, without keeping whom it tells.
    private final class Owner: Sendable {
        private struct Reference { weak var recordings: Recordings? }
        private let reference = Mutex(Reference())

        var recordings: Recordings? {
            get { reference.withLock { $0.recordings } }
            set { reference.withLock { $0.recordings = newValue } }
        }
    }

    /// Recordings of a store. Nothing runs before ``start(goingOn:)``.
    ///
    /// - Parameters:
    ///   - store: where media is kept.
    ///   - shelf: where recordings that have ended become assets.
    ///   - loader: what reads playlists; shared with who plays.
    ///   - settings: how origins are asked; nil takes the store's settings and adds the channel's header fields.
    ///   - encoder: what encodes programmes anew; nil where nothing does.
    public init(
        store: CacheStore, shelf: AssetShelf, loader: PlaylistLoader, settings: Downloads.SettingsSource? = nil,
        encoder: (any FilmEncoder)? = nil
    ) {
        self.store = store
        self.shelf = shelf
        let folder = store.sideFolder("channels")
        self.folder = folder
        exports = ProgrammeExports(store, events: hub, encoder: encoder)
        work = RecordingWork(
            store: store, place: CacheRecordingStore(store), loader: loader, events: hub,
            settings: settings ?? Downloads.storeSettings(store),
            keep: { try await Self.write($0, to: folder) }, exports: exports,
            ended: { [owner] in await owner.recordings?.ended($0) })
    }

    // MARK: - Life

    /// Takes up the channels that there are.
    ///
    /// - Parameter goingOn: whether those that are to be recorded are, and programmes that are over exported.
    /// - Throws: `CacheError` with `storage`.
    public func start(goingOn: Bool = true) async throws {
        try await turns.take {
            owner.recordings = self
            try await load()
            isStarted = true
            guard goingOn else { return }
            await exports.start()
            for recording in all {
                let channel = await recording.channel
                // Segments that it still awaits belong to its programmes.
                if channel.isWanted, !channel.hasEnded { await recording.start() }
                await recording.exportWhatIsOver()
                if channel.hasEnded, channel.isAsset != true { await ended(recording) }
            }
        }
    }

    /// Stops all recordings; those that were to be recorded go on with the next ``start(goingOn:)``.
    public func stop() async {
        await turns.take {
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

    /// What happens from now on. Each call gives a stream of its own, which holds up to 512 events for a slow reader and
    /// then drops, and says how many.
    public nonisolated func events() -> AsyncStream<RecordingEvent> { hub.stream() }

    private nonisolated var all: [Recording] { known.withLock { Array($0.values) } }

    /// The recording of a channel; nil where there is none of this name.
    package nonisolated func recording(_ name: ChannelName) -> Recording? { known.withLock { $0[name] } }

    func require(_ name: ChannelName) throws -> Recording {
        if let recording = recording(name) { return recording }
        let names = known.withLock { $0.keys.sorted().map(\.rawValue) }.joined(separator: ", ")
        throw CacheError(
            .notFound, "there is no channel \(name); " + (names.isEmpty ? "there is none at all" : "there is \(names)"))
    }

    // MARK: - What is known

    /// All channels at this moment, by name.
    ///
    /// - Throws: `CacheError` with `storage`.
    public func statuses() async throws -> [RecordingStatus] {
        var statuses: [RecordingStatus] = []
        for (_, recording) in known.withLock({ $0.sorted { $0.key < $1.key } }) {
            statuses.append(await Self.status(of: recording))
        }
        return statuses
    }

    /// A channel at this moment.
    ///
    /// - Throws: `CacheError` with `notFound`, naming those that there are, or `storage`.
    public func status(of name: ChannelName) async throws -> RecordingStatus {
        await Self.status(of: try require(name))
    }

    private static func status(of recording: Recording) async -> RecordingStatus {
        // While it's stopped nothing else sees that a programme's end has passed.
        await recording.exportWhatIsOver()
        return await recording.status()
    }

    /// Whether anything is recorded at the moment.
    public var isRecording: Bool {
        get async {
            for recording in all where await recording.isRunning { return true }
            return false
        }
    }

    // MARK: - Wishes

    /// Makes a channel, and begins to record it. One of this name and URL that is there already is taken up again, with
    /// the retention that is asked for now.
    ///
    /// - Throws: `CacheError`: `invalidSetting` where the name is another channel's, or the selection another than that
    ///   with which the channel is recorded; `storage`.
    @discardableResult
    public func add(_ request: ChannelRequest) async throws -> Channel {
        let (recording, isNew) = try await addRecording(request)
        // This may take long: changes of the channels don't wait for it.
        if !isNew { await recording.retentionChanged() }
        return await recording.channel
    }

    private func addRecording(_ request: ChannelRequest) async throws -> (recording: Recording, isNew: Bool) {
        try await turns.take {
            if let recording = recording(request.name) {
                let channel = await recording.channel
                guard channel.url == request.url.withoutUserInfo.description else {
                    throw CacheError(
                        .invalidSetting,
                        "the channel \(request.name) is of \(channel.url); take another name, or delete it first")
                }
                guard !channel.hasEnded else {
                    throw CacheError(
                        .invalidSetting,
                        "the recording \(request.name) has ended; take another name, or delete the channel first")
                }
                guard channel.selection == request.selection else {
                    throw CacheError(
                        .invalidSetting,
                        "the channel \(request.name) is recorded with another selection of variants and languages, which "
                            + "can't be changed; record the new selection under another name, or end the recording and "
                            + "delete the channel first")
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
                if isStarted, await recording.channel.isWanted { await recording.start() }
                return (recording, false)
            }
            let channel = Channel(request, created: store.now)
            try await work.keep(channel)
            let recording = Recording(channel, work: work)
            try await recording.open()
            known.withLock { $0[channel.name] = recording }
            if isStarted, channel.isWanted { await recording.start() }
            return (recording, true)
        }
    }

    /// Records a channel, or goes on with it.
    ///
    /// - Throws: `CacheError`: `notFound`; `invalidSetting` where its recording has ended; `storage`.
    public func start(_ name: ChannelName) async throws {
        try await turns.take {
            let recording = try require(name)
            guard await !recording.channel.hasEnded else {
                throw CacheError(.invalidSetting, "the recording \(name) has ended; record it under another name")
            }
            try await recording.change { channel in
                // The stream may have begun again since it was stopped.
                if !channel.isWanted { channel.hasEndList = nil }
                channel.isWanted = true
            }
            if isStarted { await recording.start() }
        }
    }

    /// Stops recording a channel. When this returns nothing of it runs any more; what is kept stays and can be replayed.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func stop(_ name: ChannelName) async throws {
        try await turns.take {
            let recording = try require(name)
            try await recording.change { $0.isWanted = false }
            await recording.stop()
        }
    }

    /// Ends the recording of a channel: it becomes an asset of the library.
    ///
    /// What its playlists have named so far gets ten seconds to come. Where these recordings aren't started it ends with
    /// their next start.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func end(_ name: ChannelName) async throws {
        let now = store.now
        let recording = try await turns.take {
            let recording = try require(name)
            guard await !recording.channel.hasEnded else { return recording }
            try await recording.setEnd(at: now)
            if isStarted { await recording.start() }
            return recording
        }
        await recording.runOut()
    }

    /// Deletes a channel and all that is kept of it; the asset that it became stays.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func remove(_ name: ChannelName) async throws {
        try await turns.take {
            let recording = try require(name)
            await recording.stop()
            let programmes = await recording.channel.programmes
            // First, so that nothing that is still being made is written down when the channel is gone.
            try await recording.change { $0.programmes = [] }
            for programme in programmes { try await removeExports(of: programme) }
            let isAsset = try await shelf.asset(withKey: Self.assetKey(of: recording.id)) != nil
            try await recording.removeAll(keepingMedia: isAsset)
            try await folder.remove(recording.id.rawValue + Self.suffix)
            known.withLock { $0[name] = nil }
            hub.send(.removed(name))
        }
    }

    /// An asset was removed: where a recording had become it, nothing is left of that.
    ///
    /// - Throws: `CacheError` with `storage`.
    package func assetRemoved(_ asset: Asset) async throws {
        guard let recording = all.first(where: { Self.assetKey(of: $0.id) == asset.key }) else { return }
        try await remove(await recording.channel.name)
    }

    /// Sets how much of a channel is kept. What is too much goes at once.
    ///
    /// - Throws: `CacheError` with `notFound` or `storage`.
    public func setRetention(_ retention: Retention, of name: ChannelName) async throws {
        let recording = try await turns.take {
            let recording = try require(name)
            try await recording.change { $0.retention = retention }
            return recording
        }
        await recording.retentionChanged()
    }

    // MARK: - Assets

    private static func assetKey(of recording: RecordingID) -> String { "recording/\(recording)" }

    /// A recording that has ended is an asset of the library.
    private func ended(_ recording: Recording) async {
        do {
            guard let window = try await recording.whole() else { return }
            let channel = await recording.channel
            var asset = Asset(key: Self.assetKey(of: recording.id), url: channel.url, created: store.now)
            asset.title = channel.name.rawValue
            asset.kind = .stream
            asset.duration = window.contents.duration
            asset.lostCount = window.gaps
            asset = try await shelf.add(asset)
            try await shelf.setContents(window.contents, of: asset.id)
            try await recording.change { $0.isAsset = true }
        } catch {
            // It's still to be had as a channel, and becomes one with the next start.
        }
    }

    // MARK: - Files

    private func load() async throws {
        guard !isLoaded else { return }
        var isEveryOneKnown = true
        for name in try await folder.names() where name.hasSuffix(Self.suffix) {
            guard let bytes = try await folder.contents(of: name),
                let channel = try? JSONDecoder().decode(Channel.self, from: Data(bytes))
            else {
                isEveryOneKnown = false
                continue
            }
            let recording = Recording(channel, work: work)
            known.withLock { $0[channel.name] = recording }
            // One that can't be read doesn't keep the others from going on. It's listed, without what was kept of it.
            try? await recording.open()
        }
        try await tidyExports(isEveryOneKnown: isEveryOneKnown)
        isLoaded = true
    }

    /// Deletes what earlier processes left of exports, and has those made anew whose file is gone.
    private func tidyExports(isEveryOneKnown: Bool) async throws {
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
        let there = try await exports.folder.clear(except: isEveryOneKnown ? Set(done.map(\.name)) : nil)
        for (name, recording, programme, format) in done where !there.contains(name) {
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
