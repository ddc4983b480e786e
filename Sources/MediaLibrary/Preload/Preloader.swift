internal import HLS
public import MediaCache

/// Fetches the beginnings of what may play next: a feed tells what is near, the nearest first.
///
/// What is no longer near is given up at once; what came of it stays, until room is needed. Downloads wait behind it, and
/// it waits behind what plays.
public actor Preloader {
    /// How many are fetched at once.
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

    /// A preloader over a store.
    ///
    /// - Parameters:
    ///   - store: where bytes are kept.
    ///   - loader: what reads playlists; shared with who plays.
    ///   - settings: how origins are asked; nil takes the store's.
    ///   - selection: what players begin with, where it's a stream.
    public init(
        store: CacheStore, loader: PlaylistLoader, settings: TransferSettings? = nil,
        selection: StreamSelection = StreamSelection(subtitles: .none)
    ) {
        self.store = store
        self.loader = loader
        self.settings = settings
        self.selection = selection
    }

    /// Says what is near now, the nearest first, and how much of each is to be fetched. What was near before and isn't
    /// any more is given up: no byte of it comes after this returns.
    public func rank(_ urls: [ResourceURL], amount: PreloadAmount) async {
        ranking = urls
        let near = Set(urls)
        var left: [Task<Void, Never>] = []
        for (url, entry) in entries where !near.contains(url) || entry.amount != amount {
            entry.task?.cancel()
            if let task = entry.task { left.append(task) }
            entries[url] = nil
        }
        for (rank, url) in urls.enumerated() {
            if let entry = entries[url] {
                entry.group.rank = rank
            } else {
                entries[url] = Entry(group: TransferGroup(name: "preload \(url)", rank: rank, limit: 2), amount: amount)
            }
        }
        startNext()
        for task in left { await task.value }
    }

    /// Gives everything up.
    public func stop() async { await rank([], amount: .bytes(0)) }

    /// Whether the beginning of an asset is here, as much of it as was asked for; false where it isn't near.
    public func isReady(_ url: ResourceURL) -> Bool { entries[url]?.isDone ?? false }

    /// Returns when all that is near is here, or has failed.
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
        // It may have been given up, and asked for again, meanwhile.
        guard entries[url]?.group === group else { return startNext() }
        entries[url]?.task = nil
        entries[url]?.failure = failure
        entries[url]?.isDone = failure == nil
        startNext()
    }

    private func fetch(_ url: ResourceURL, _ amount: PreloadAmount, _ group: TransferGroup) async -> CacheError? {
        do {
            guard loader.expectsPlaylist(at: url) else {
                for part in AssetContents(file: url).parts { try await fill(part, most: amount.bytesOfFile, group) }
                return nil
            }
            let contents = try await StreamContents.plan(url, selection: selection) { url, scope, _ in
                try await self.loader.load(
                    url, scope: scope, settings: self.settings, transferClass: .preload)
            }
            try await fetch(contents, amount, group)
            return nil
        } catch {
            return CacheError.wrap(error, as: .unreachable, "\(url) can't be preloaded")
        }
    }

    private func fetch(_ contents: AssetContents, _ amount: PreloadAmount, _ group: TransferGroup) async throws {
        var counts: [Substring: Int] = [:]
        var left: Int64 = if case .bytes(let count) = amount { count } else { .max }
        for part in contents.parts where part.role != .other {
            if part.role == .mediaSegment {
                switch amount {
                case .bytes: guard left > 0 else { return }
                case .seconds(let seconds): guard part.start < seconds else { return }
                case .segments(let most):
                    counts[part.name.prefix { $0 != "/" }, default: 0] += 1
                    guard counts[part.name.prefix { $0 != "/" }, default: 0] <= most else { continue }
                }
            }
            let came = try await fill(part, most: part.role == .mediaSegment ? left : .max, group)
            if part.role == .mediaSegment, left < .max { left -= came }
        }
    }

    @discardableResult
    private func fill(_ part: AssetPart, most: Int64, _ group: TransferGroup) async throws -> Int64 {
        let start = part.range?.lowerBound ?? 0
        let end = min(part.range?.upperBound ?? .max, most < .max - start ? start + most : .max)
        guard end > start else { return 0 }
        var request = try part.request(settings: settings ?? store.transfers)
        request.range = end < .max ? .closed(start, through: end - 1) : .all
        request.transferClass = .preload
        request.revalidation = .beside
        request.group = group
        try await store.checkAccess(&request)
        let info = try await store.fill(request)
        return min(info.bytesKept, end - start)
    }
}
