public import MediaCache
internal import MediaContainers

/// A preloader of the parts that a player needs to start assets that may be played next, nearest first: the playlists
/// and first segments of a stream, or the first seconds of a file and the index of an MP4, even if it's at the end.
///
/// Preloading of an asset that is no longer near stops immediately. Its received bytes remain cached, but may be
/// evicted. Playback has priority over preloading, and preloading over downloads.
public actor Preloader {
    private static let concurrency = 2
    /// The number of bytes from which the format of a file is determined.
    private static let front: Int64 = 64 << 10

    private struct Entry {
        var task: Task<Void, Never>?
        let group: TransferGroup
        var amount: PreloadAmount
        var isDone = false
        var failure: CacheError?
        /// The cache key and the ranges of a file; nil until they are known, and for a stream.
        var file: (key: String, ranges: [Range<Int64>])?
        /// The number of parts; 0 until it's known.
        var parts = 0
        var partsDone = 0
        /// The number of preloaded bytes of complete parts of a stream.
        var bytes: Int64 = 0

        var state: PreloadStatus.State {
            if let failure { return .failed(failure) }
            return isDone ? .ready : task == nil ? .waiting : .running
        }
    }

    private let store: CacheStore
    private let loader: PlaylistLoader
    private let settings: @Sendable (ResourceURL) -> TransferSettings?
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
        self.init(store: store, loader: loader, selection: selection) { _ in settings }
    }

    /// Creates a preloader for a store.
    ///
    /// - Parameter settings: Returns the transfer settings for an asset; nil means the store's.
    package init(
        store: CacheStore, loader: PlaylistLoader, selection: StreamSelection,
        settings: @escaping @Sendable (ResourceURL) -> TransferSettings?
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
            if loader.expectsPlaylist(at: url) {
                try await fetchStream(url, amount, group)
            } else {
                try await fetchFile(url, amount, group)
            }
            return nil
        } catch {
            return CacheError.wrap(error, as: .unreachable, "\(url) can't be preloaded")
        }
    }

    private func fetchStream(_ url: ResourceURL, _ amount: PreloadAmount, _ group: TransferGroup) async throws {
        let settings = settings(url)
        let contents = try await StreamContents.plan(url.withoutUserInfo, selection: selection) { url, scope, _ in
            try await self.loader.load(url, scope: scope, settings: settings, transferClass: .preload)
        }
        // The extension of the URL may be that of a playlist, although the content isn't one.
        if contents.playlists.isEmpty { return try await fetchFile(url, amount, group) }
        let parts = Self.parts(of: contents, amount)
        update(url, group) { $0.parts = parts.count }
        var remaining: Int64 = if case .bytes(let count) = amount { count } else { .max }
        for part in parts {
            let isSegment = part.role == .mediaSegment
            if isSegment, remaining <= 0 { break }
            let count = try await fill(part, settings, maximum: isSegment ? remaining : .max, group)
            if isSegment, remaining < .max { remaining -= count }
            update(url, group) { entry in
                entry.partsDone += 1
                entry.bytes += count
            }
        }
        update(url, group) { $0.parts = $0.partsDone }
    }

    /// Returns the parts of a stream that an amount includes, in the order in which a player needs them. For a number
    /// of bytes, returns all parts, because their lengths aren't known yet.
    private static func parts(of contents: AssetContents, _ amount: PreloadAmount) -> [AssetPart] {
        var counts: [Substring: Int] = [:]
        var parts: [AssetPart] = []
        for part in contents.parts where part.role != .other {
            guard part.role == .mediaSegment else {
                parts.append(part)
                continue
            }
            switch amount {
            case .bytes: break
            case .seconds(let seconds): guard part.start < seconds else { return parts }
            case .segments(let maximum):
                let track = part.name.prefix { $0 != "/" }
                counts[track, default: 0] += 1
                guard counts[track, default: 0] <= maximum else { continue }
            }
            parts.append(part)
        }
        return parts
    }

    private func fill(
        _ part: AssetPart, _ settings: TransferSettings?, maximum: Int64, _ group: TransferGroup
    ) async throws -> Int64 {
        let start = part.range?.lowerBound ?? 0
        let end = min(part.range?.upperBound ?? .max, maximum < .max - start ? start + maximum : .max)
        guard end > start else { return 0 }
        let request = try part.request(settings: settings ?? store.transfers)
        let info = try await fill(request, start..<end, group)
        return min(info.bytesCached, end - start)
    }

    /// Fetches the missing bytes of a range. A range that ends at `Int64.max` is the rest of the resource.
    private nonisolated func fill(
        _ request: ReadRequest, _ range: Range<Int64>, _ group: TransferGroup
    ) async throws -> ResourceInfo {
        var request = request
        request.range =
            range.upperBound < .max
            ? .closed(range.lowerBound, through: range.upperBound - 1)
            : range.lowerBound > 0 ? .from(range.lowerBound) : .all
        request.transferClass = .preload
        request.revalidation = .inBackground
        request.group = group
        return try await store.withAccessCheck(request) { try await store.fill($0) }
    }

    // MARK: - Files

    private func fetchFile(_ url: ResourceURL, _ amount: PreloadAmount, _ group: TransferGroup) async throws {
        guard let part = AssetContents(file: url.withoutUserInfo).parts.first else { return }
        let request = try part.request(settings: settings(url) ?? store.transfers)
        var plan = PreloadRanges(amount: amount)
        if case .bytes(let count) = amount, count <= 0 { return }
        let first: Int64 = if case .bytes(let count) = amount { count } else { Self.front }
        update(url, group) { entry in
            entry.parts = 1
            entry.file = (store.key(of: request), [0..<first])
        }
        let info = try await fill(request, 0..<first, group)
        if MediaType.isPlaylist(info.contentType), !loader.expectsPlaylist(at: url) {
            loader.remember(url.withoutUserInfo)
            update(url, group) { $0.file = nil }
            return try await fetchStream(url, amount, group)
        }
        plan.length = info.length
        let front = try await cached(request, 0..<min(first, Self.front, info.length ?? .max), info)
        try await examine(front, request, group, &plan)
        let ranges = plan.ranges
        update(url, group) { $0.file?.ranges = ranges }
        for range in ranges { _ = try await fill(request, range, group) }
        update(url, group) { $0.partsDone = 1 }
    }

    /// Determines the index or the bit rate of a file from its first bytes. The index of an MP4 is fetched wherever it
    /// is.
    private func examine(
        _ front: [UInt8], _ request: ReadRequest, _ group: TransferGroup, _ plan: inout PreloadRanges
    ) async throws {
        guard let length = plan.length else { return }
        if front.withUnsafeBytes(MP4Format.isRecognized) {
            plan.index = try await index(of: request, length, front, group)
            return
        }
        if case .bytes = plan.amount { return }
        var frames = front
        if let tag = front.withUnsafeBytes(ID3Tag.length) {
            plan.prefix = Int64(tag)
            // Artwork can make the tag longer than the first bytes.
            let range = plan.prefix..<plan.prefix + Self.front
            guard plan.prefix < length else { return }
            let info = try await fill(request, 0..<range.upperBound, group)
            frames = try await cached(request, range.clamped(to: 0..<length), info)
        }
        plan.bytesPerSecond = frames.withUnsafeBytes(MPEGAudioRate.bytesPerSecond)
    }

    /// Reads the index of an MP4; nil if it can't be located or is damaged.
    private func index(
        of request: ReadRequest, _ length: Int64, _ front: [UInt8], _ group: TransferGroup
    ) async throws -> PreloadRanges.Index? {
        do {
            return try await BlockingOperation.run { control in
                let source = WindowedSource(length: length, window: front) { (range) throws(ContainerError) in
                    do {
                        return try control.wait {
                            let info = try await self.fill(request, range, group)
                            return try await self.cached(request, range, info)
                        }
                    } catch {
                        throw ContainerError(.inputOutput, "\(error)", at: range.lowerBound, cause: error)
                    }
                }
                return try PreloadRanges.Index(source)
            }
        } catch let error as ContainerError {
            if let cause = error.cause { throw cause }
            return nil
        }
    }

    /// Returns bytes of a range that has been filled.
    private nonisolated func cached(
        _ request: ReadRequest, _ range: Range<Int64>, _ info: ResourceInfo
    ) async throws -> [UInt8] {
        let range = range.clamped(to: 0..<(info.length ?? .max))
        guard !range.isEmpty else { return [] }
        var request = request
        request.range = .closed(range.lowerBound, through: range.upperBound - 1)
        request.transferClass = .preload
        request.countsAsUse = false
        let session = try await store.withAccessCheck(request, discarding: { $0.cancel() }) { try await store.read($0) }
        return try await session.collect()
    }

    /// Changes an entry, unless it has been removed or replaced in the meantime.
    private func update(_ url: ResourceURL, _ group: TransferGroup, _ change: (inout Entry) -> Void) {
        guard var entry = entries[url], entry.group === group else { return }
        change(&entry)
        entries[url] = entry
    }
}

extension Preloader {
    /// Returns the state of all assets, nearest first.
    public func statuses() async -> [PreloadStatus] {
        var statuses: [PreloadStatus] = []
        for url in ranking {
            guard let entry = entries[url] else { continue }
            var status = PreloadStatus(url: url, state: entry.state)
            (status.parts, status.partsDone, status.bytes) = (entry.parts, entry.partsDone, entry.bytes)
            if let file = entry.file, let info = try? await store.resource(key: file.key) {
                let ranges = file.ranges.map { $0.clamped(to: 0..<(info.length ?? .max)) }
                if ranges.allSatisfy({ $0.upperBound < .max }) {
                    status.length = ranges.reduce(0) { $0 + Int64($1.count) }
                }
                status.bytes = ranges.reduce(0) { sum, range in
                    sum + info.spans.reduce(0) { $0 + Int64($1.clamped(to: range).count) }
                }
            } else if entry.isDone {
                status.length = entry.bytes
            }
            statuses.append(status)
        }
        return statuses
    }
}

/// The state of an asset's preloading.
public struct PreloadStatus: Sendable {
    /// The states.
    public enum State: Sendable {
        /// Waiting for assets that are nearer.
        case waiting
        /// Being fetched.
        case running
        /// The requested amount has been fetched.
        case ready
        /// Failed; ranking the asset again retries it.
        case failed(CacheError)
    }

    /// The URL of the asset.
    public var url: ResourceURL
    /// The state.
    public var state: State
    /// The number of preloaded bytes.
    public var bytes: Int64 = 0
    /// The number of bytes to preload; nil if it isn't known yet.
    public var length: Int64?
    /// The number of parts to preload, 1 for a file; 0 if it isn't known yet. With ``PreloadAmount/bytes(_:)``, all
    /// parts of a stream count until enough bytes have been preloaded.
    public var parts = 0
    /// The number of preloaded parts.
    public var partsDone = 0
}

/// The amount of an asset to preload.
public enum PreloadAmount: Sendable, Hashable {
    /// The first bytes of a file, or of all segments of a stream in the order of their start times.
    case bytes(Int64)
    /// The first seconds. For a file, the index or the bit rate determines the bytes; 1 MiB per second is assumed if
    /// neither is known.
    case seconds(Double)
    /// The first segments of each playlist of a stream. For a file, a segment is 6 seconds.
    case segments(Int)
}
