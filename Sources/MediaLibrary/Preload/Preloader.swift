internal import HLS
public import MediaCache

/// A preloader of the first seconds, segments or bytes of assets that may be played next, nearest first.
///
/// Preloading of an asset that is no longer near stops immediately. Its received bytes remain cached, but may be
/// evicted. Playback has priority over preloading, and preloading over downloads.
public actor Preloader {
    private static let concurrency = 2

    private struct Entry {
        var task: Task<Void, Never>?
        let group: TransferGroup
        var amount: PreloadAmount
        var isDone = false
        var failure: CacheError?
    }

    private let store: CacheStore
    private let loader: PlaylistLoader
    private let settings: TransferSettings?
    private let selection: StreamSelection
    private var ranking: [ResourceURL] = []
    private var entries: [ResourceURL: Entry] = [:]

    /// Creates a preloader for a store.
    ///
    /// - Parameters:
    ///   - loader: The loader of playlists, shared with playback.
    ///   - settings: The transfer settings; nil means the store's.
    ///   - selection: The variant streams and renditions that players choose first.
    public init(
        store: CacheStore, loader: PlaylistLoader, settings: TransferSettings? = nil,
        selection: StreamSelection = StreamSelection(subtitles: .none)
    ) {
        self.store = store
        self.loader = loader
        self.settings = settings
        self.selection = selection
    }

    /// Sets the assets to preload, nearest first, and the amount of each. Returns when transfers for all other assets
    /// have stopped.
    ///
    /// An asset that is listed again with the same amount is restarted only if it failed.
    public func rank(_ urls: [ResourceURL], amount: PreloadAmount) async {
        ranking = urls
        let near = Set(urls)
        var stopping: [Task<Void, Never>] = []
        for (url, entry) in entries where !near.contains(url) || entry.amount != amount {
            entry.task?.cancel()
            if let task = entry.task { stopping.append(task) }
            entries[url] = nil
        }
        for (rank, url) in urls.enumerated() {
            if let entry = entries[url] {
                entry.group.rank = rank
                entries[url]?.failure = nil
            } else {
                entries[url] = Entry(group: TransferGroup(name: "preload \(url)", rank: rank, limit: 2), amount: amount)
            }
        }
        startNext()
        for task in stopping { await task.value }
    }

    /// Stops all preloading.
    public func stop() async { await rank([], amount: .bytes(0)) }

    /// Returns whether the requested amount of an asset has been preloaded; false if that failed, or if the asset isn't
    /// listed. Its bytes may have been evicted since.
    public func isReady(_ url: ResourceURL) -> Bool { entries[url]?.isDone ?? false }

    /// Returns when all assets have been preloaded or have failed.
    public func finished() async {
        while let task = entries.values.compactMap(\.task).first { await task.value }
    }

    private func startNext() {
        var running = entries.values.count { $0.task != nil }
        for url in ranking where running < Self.concurrency {
            guard let entry = entries[url], entry.task == nil, !entry.isDone, entry.failure == nil else { continue }
            running += 1
            entries[url]?.task = Task(priority: .utility) {
                let failure = await self.fetch(url, entry.amount, entry.group)
                self.ended(url, entry.group, failure)
            }
        }
    }

    private func ended(_ url: ResourceURL, _ group: TransferGroup, _ failure: CacheError?) {
        // The asset may have been removed and added again in the meantime.
        guard entries[url]?.group === group else { return startNext() }
        entries[url]?.task = nil
        entries[url]?.failure = failure
        entries[url]?.isDone = failure == nil
        startNext()
    }

    private func fetch(_ url: ResourceURL, _ amount: PreloadAmount, _ group: TransferGroup) async -> CacheError? {
        do {
            guard loader.expectsPlaylist(at: url) else {
                for part in AssetContents(file: url).parts { try await fill(part, maximum: amount.bytesOfFile, group) }
                return nil
            }
            let contents = try await StreamContents.plan(url, selection: selection) { url, scope, _ in
                try await self.loader.load(url, scope: scope, settings: self.settings, transferClass: .preload)
            }
            try await fetch(contents, amount, group)
            return nil
        } catch {
            return CacheError.wrap(error, as: .unreachable, "\(url) can't be preloaded")
        }
    }

    private func fetch(_ contents: AssetContents, _ amount: PreloadAmount, _ group: TransferGroup) async throws {
        var counts: [Substring: Int] = [:]
        var remaining: Int64 = if case .bytes(let count) = amount { count } else { .max }
        for part in contents.parts where part.role != .other {
            if part.role == .mediaSegment {
                switch amount {
                case .bytes: guard remaining > 0 else { return }
                case .seconds(let seconds): guard part.start < seconds else { return }
                case .segments(let maximum):
                    counts[part.name.prefix { $0 != "/" }, default: 0] += 1
                    guard counts[part.name.prefix { $0 != "/" }, default: 0] <= maximum else { continue }
                }
            }
            let count = try await fill(part, maximum: part.role == .mediaSegment ? remaining : .max, group)
            if part.role == .mediaSegment, remaining < .max { remaining -= count }
        }
    }

    @discardableResult
    private func fill(_ part: AssetPart, maximum: Int64, _ group: TransferGroup) async throws -> Int64 {
        let start = part.range?.lowerBound ?? 0
        let end = min(part.range?.upperBound ?? .max, maximum < .max - start ? start + maximum : .max)
        guard end > start else { return 0 }
        var request = try part.request(settings: settings ?? store.transfers)
        request.range = end < .max ? .closed(start, through: end - 1) : .all
        request.transferClass = .preload
        request.revalidation = .inBackground
        request.group = group
        let info = try await store.withAccessCheck(request) { try await store.fill($0) }
        return min(info.bytesCached, end - start)
    }
}

/// The amount of an asset to preload.
public enum PreloadAmount: Sendable, Hashable {
    /// The first bytes of a file, or of all segments of a stream in the order of their start times.
    case bytes(Int64)
    /// The first seconds. For a file, 1 MiB per second is assumed, because its bit rate is unknown.
    case seconds(Double)
    /// The first segments of each playlist of a stream. For a file, 1 MiB per segment is assumed.
    case segments(Int)

    static let bytesPerSecond = 1 << 20

    var bytesOfFile: Int64 {
        switch self {
        case .bytes(let count): max(0, count)
        case .seconds(let seconds): Int64(min(max(0, seconds) * Double(Self.bytesPerSecond), 1e15))
        case .segments(let count): Int64(min(max(0, count), 1 << 30)) << 20
        }
    }
}
