internal import Foundation
internal import HLS
internal import MediaCache

/// Fetching of segments.
extension Recording {
    /// A key or media initialization section that segments need.
    struct Companion {
        var fetch: Task<Void, any Error>
        var failures = 0
        /// The time of the next attempt; nil unless the last one failed.
        var retry: Duration?
    }

    /// The maximum number of concurrent segment fetches per track.
    private static let width = 6
    private static let firstDelay = Duration.milliseconds(500)
    private static let longestDelay = Duration.seconds(4)
    /// The time after which segments awaited by an earlier process are fetched even without their playlist.
    private static let resumePatience = Duration.seconds(60)

    /// Restores the segments that an earlier process awaited. They are fetched once their playlist has been loaded,
    /// since names may mean other segments by then.
    func resume() {
        let now = monotonic
        for index in tracks.indices {
            let rows = tracks[index].timeline.awaited
            for row in rows { tracks[index].awaited[row.number] = Awaited(row: row, seen: now) }
            tracks[index].resumed = (rows.map(\.number), now)
        }
    }

    /// Enqueues the segments that an earlier process awaited.
    func enqueueResumed(_ index: Int) {
        for number in tracks[index].resumed?.numbers ?? [] { tracks[index].queue.appendToBacklog(number) }
        tracks[index].resumed = nil
    }

    /// Enqueues a segment.
    ///
    /// - Parameter isBacklog: Whether the segment was published before the recording began.
    func enqueue(_ row: RecordedSegment, _ index: Int, _ now: Duration, isBacklog: Bool = false) {
        tracks[index].awaited[row.number] = Awaited(row: row, seen: now)
        if isBacklog {
            tracks[index].queue.appendToBacklog(row.number)
        } else {
            tracks[index].queue.append(row.number)
        }
    }

    /// Starts as many fetches as allowed. The oldest segments come first, since they leave the origin first.
    func fetchMore() {
        guard isRunning else { return }
        let now = monotonic
        for index in tracks.indices {
            if let since = tracks[index].resumed?.since, isPastEnd || now - since >= Self.resumePatience {
                enqueueResumed(index)
            }
            while tracks[index].inFlight < Self.width,
                let number = tracks[index].queue.next(at: now, backlog: backlogOrder(index))
            {
                guard let awaited = tracks[index].awaited[number], !awaited.isInFlight else { continue }
                let id = nextFetch
                nextFetch += 1
                tracks[index].awaited[number]?.fetch = id
                tracks[index].awaited[number]?.requested = awaited.requested ?? now
                tracks[index].awaited[number]?.lastRequested = now
                tracks[index].awaited[number]?.progressed = now
                tracks[index].inFlight += 1
                fetches[id] = Task {
                    await self.fetch(awaited.row, index)
                    self.fetches[id] = nil
                }
            }
        }
    }

    /// Fetches a segment with its companions and adds it to the timeline.
    func fetch(_ row: RecordedSegment, _ index: Int) async {
        do {
            // The media comes first, since the origin removes it first.
            let media = try await media(of: row, index)
            fetchMore()
            for companion in row.conditions.companions { try await fetch(companion, row, index) }
            var row = row
            row.state = .stored
            row.length = media.length
            row.isWrapped = media.isWrapped
            row.firstPicture = media.firstPicture
            guard let awaited = tracks[index].awaited[row.number] else { return await discard(row, index) }
            tracks[index].fetched = monotonic
            tracks[index].failing = nil
            tracks[index].overtaking = [tracks[index].overtaking, awaited.lastRequested].compactMap(\.self).max()
            tracks[index].completed = max(tracks[index].completed ?? .min, row.number)
            settled.append(Settled(track: index, row: row, reason: ""))
            await flush()
        } catch {
            await failed(row, index, CacheError.wrap(error, as: .unreachable, "\(row.url) couldn't be fetched"))
        }
    }

    /// Fetches the media of a segment, unless it is cached already.
    private func media(of row: RecordedSegment, _ index: Int) async throws -> FetchedPart {
        defer { tracks[index].inFlight -= 1 }
        if let media = tracks[index].awaited[row.number]?.media { return media }
        if tracks[index].awaited[row.number]?.mayHaveOtherBytes == true {
            try await dependencies.place.removeParts([id.storedName(row.name, track: tracks[index].folder)])
            tracks[index].awaited[row.number]?.mayHaveOtherBytes = false
        }
        let url = try ResourceURL(row.url)
        var part = part(row, track: tracks[index].folder)
        part.scope = part.scope ?? scope(ofUnknown: url)
        let media = try await dependencies.place.fetch(part, settings: try settings(for: url), group: group)
        // Another copy may have been chosen during the fetch.
        if tracks[index].awaited[row.number]?.mayHaveOtherBytes == false {
            tracks[index].awaited[row.number]?.media = media
            tracks[index].awaited[row.number]?.row.url = row.url
            tracks[index].awaited[row.number]?.row.range = row.range
        }
        arrivals.append((monotonic, media.length))
        if arrivals.count > 1000 { arrivals.removeFirst(500) }
        return media
    }

    /// Fetches a companion once for all segments of the track that need it. After a failure it isn't requested again
    /// before its retry time.
    private func fetch(_ companion: RecordedConditions.Companion, _ row: RecordedSegment, _ index: Int) async throws {
        var part = part(companion, row, track: tracks[index].folder)
        let url = try ResourceURL(part.url)
        part.scope = part.scope ?? scope(ofUnknown: url)
        let name = part.storedAs ?? part.url
        let known = companions[name]
        if let known, known.retry.map({ monotonic < $0 }) ?? true { return try await Self.value(of: known.fetch) }
        let (place, group) = (dependencies.place, group)
        let settings = try settings(for: url)
        let task = Task { _ = try await place.fetch(part, settings: settings, group: group) }
        if companions.count > 64 * tracks.count { companions = [:] }
        companions[name] = Companion(fetch: task, failures: known?.failures ?? 0)
        do {
            try await Self.value(of: task)
            // Segments that wait for this companion are retried at once.
            if known != nil {
                tracks[index].queue.retryAll()
                fetchMore()
            }
        } catch {
            let failures = (known?.failures ?? 0) + 1
            companions[name]?.failures = failures
            companions[name]?.retry =
                monotonic + Self.delay(after: failures, CacheError.wrap(error, as: .unreachable, companion.url))
            throw error
        }
    }

    /// Returns the delay before the next attempt after a number of failures.
    private static func delay(after failures: Int, _ error: CacheError) -> Duration {
        let delay = min(firstDelay * (1 << min(failures - 1, 4)), longestDelay)
        return max(delay, min(error.retryAfter ?? .zero, .seconds(10)))
    }

    /// Waits for a task and cancels it when the caller is cancelled. All callers are cancelled together.
    private static func value(of task: Task<Void, any Error>) async throws {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Removes the bytes of a segment that was given up while it was being fetched.
    private func discard(_ row: RecordedSegment, _ index: Int) async {
        try? await dependencies.place.removeParts([id.storedName(row.name, track: tracks[index].folder)])
    }

    /// Notes a failed fetch and schedules the next attempt.
    private func failed(_ row: RecordedSegment, _ index: Int, _ error: CacheError) async {
        guard var awaited = tracks[index].awaited[row.number] else { return await discard(row, index) }
        let error =
            awaited.isHanging ? CacheError(.timedOut, "\(row.url) sent no data while other segments arrived") : error
        awaited.isHanging = false
        awaited.fetch = nil
        awaited.failures += 1
        awaited.failed = (awaited.failed?.lowerBound ?? monotonic)...monotonic
        awaited.arrival = tracks[index].fetched
        awaited.otherArrival = tracks.compactMap(\.fetched).max()
        awaited.reason = error.message
        let now = monotonic
        tracks[index].failing = tracks[index].failing ?? now
        tracks[index].queue.retry(row.number, at: now + Self.delay(after: awaited.failures, error))
        let isAbsent = error.code == .originStatus && (error.status == 404 || error.status == 410)
        awaited.absentSince = isAbsent ? awaited.absentSince ?? now : nil
        let isOfCopy = !tracks[index].isJoining && tracks[index].follower.present(row)?.uri == row.url
        if isOfCopy, ![.storage, .cancelled, .closed].contains(error.code),
            awaited.failedCopies < tracks[index].urls.count - 1
        {
            awaited.failedCopies += 1
            failOver(index, from: tracks[index].url)
        }
        tracks[index].awaited[row.number] = awaited
        if error.code == .originStatus, [401, 403, 404, 410].contains(error.status), isRunning { await refreshLinks() }
    }

    /// Turns awaited segments into gaps.
    func lose(_ index: Int, _ reason: String, where isLost: (Awaited) -> Bool) {
        let known = Set(settled.filter { $0.track == index }.map(\.row.number))
        let lost = tracks[index].awaited.values.filter { isLost($0) && !known.contains($0.row.number) }
        for awaited in lost.sorted(by: { $0.row.number < $1.row.number }) {
            var row = awaited.row
            row.state = .gap
            let reason = awaited.reason.isEmpty ? reason : "\(reason): \(awaited.reason)"
            settled.append(Settled(track: index, row: row, reason: reason))
            tracks[index].awaited[row.number] = nil
        }
    }

    /// Writes settled segments to the timeline, after their bytes have been synced.
    func flush() async {
        guard !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        while !settled.isEmpty {
            let batch = settled
            settled = []
            do {
                try await dependencies.place.commit()
                for index in tracks.indices {
                    let rows = batch.filter { $0.track == index }.map(\.row)
                    if !rows.isEmpty { try await tracks[index].timeline.settle(rows) }
                }
            } catch {
                // The disk is full. The next change or the next pass retries.
                settled = batch + settled
                return
            }
            // Partial bytes of lost segments are removed.
            let lost = batch.filter { $0.row.state == .gap && !$0.row.url.isEmpty }
            try? await dependencies.place.removeParts(
                lost.map { id.storedName($0.row.name, track: tracks[$0.track].folder) })
            for done in batch {
                tracks[done.track].awaited[done.row.number] = nil
                if done.row.state == .gap {
                    reportGap(done.row, done.track, done.reason)
                } else {
                    dependencies.events.send(
                        .segment(
                            channel.name, track: tracks[done.track].folder,
                            start: Date(nanosecondsSinceEpoch: done.row.start),
                            duration: Double(done.row.duration) / 1e9, bytes: done.row.length))
                }
            }
            await writeEntry(batch)
            await applyRetention()
        }
    }

    /// Writes the multivariant playlist of a channel with a single media playlist, once the first segment shows its
    /// bandwidth.
    private func writeEntry(_ batch: [Settled]) async {
        guard channel.entry.isEmpty, tracks.count == 1 else { return }
        guard let row = batch.first(where: { $0.row.state == .stored && $0.row.duration > 0 })?.row else { return }
        // With a margin of one half, since later segments may be larger.
        let bandwidth = Int(min(Double(row.length) * 12e9 / Double(row.duration), 1e12))
        let entry = ChannelEntry.single(folder: tracks[0].folder, bandwidth: bandwidth)
        try? await change { $0.entry = entry }
    }

    // MARK: - Parts

    /// Returns a segment as an asset part.
    nonisolated func part(_ row: RecordedSegment, track: String, origin: Int64 = 0) -> AssetPart {
        let ciphers = row.conditions.keys.compactMap { SegmentCipher($0.method) }
        var part = AssetPart(
            role: .mediaSegment, name: "\(track)/\(row.name)", url: row.url, range: row.range,
            start: Double(row.start - origin) / 1e9, duration: Double(row.duration) / 1e9,
            isEncrypted: !ciphers.isEmpty, hasWholeBlocks: !ciphers.isEmpty && !ciphers.contains(.aes256Counter))
        part.storedAs = id.storedName(row.name, track: track)
        part.scope = row.scope
        return part
    }

    /// Returns a segment's key or media initialization section as an asset part.
    nonisolated func part(_ companion: RecordedConditions.Companion, _ row: RecordedSegment, track: String) -> AssetPart
    {
        var part = AssetPart(
            role: companion.role, name: "\(track)/\(companion.name)", url: companion.url, range: companion.range,
            isEncrypted: LocalTags.encryptsAll(row.conditions.map?.keys ?? []))
        part.storedAs = id.storedName(companion.name, track: track)
        part.scope = row.scope
        return part
    }
}
