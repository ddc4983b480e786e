internal import Foundation
internal import HLS
internal import MediaCache

extension Recording {
    /// A fetched or lost segment that isn't stored in the timeline yet.
    struct Settled {
        var track: RecordedTrack
        var row: RecordedSegment
        var reason: String
    }

    /// A key or media initialization section that segments need.
    struct Companion {
        var fetch: Task<Void, any Error>
        var failures = 0
        /// The time of the next attempt; nil unless the last one failed.
        var retry: Duration?
    }

    /// Starts as many fetches as allowed.
    func fetchMore() {
        guard isRunning else { return }
        let now = monotonic
        for track in tracks {
            while let row = track.nextRequest(
                nextFetch, at: now, isPastEnd: isPastEnd, backlog: { backlogOrder(track) })
            {
                let id = nextFetch
                nextFetch += 1
                fetches[id] = Task {
                    await self.fetch(row, track)
                    self.fetches[id] = nil
                }
            }
        }
    }

    /// Fetches a segment with its companions and adds it to the timeline.
    func fetch(_ row: RecordedSegment, _ track: RecordedTrack) async {
        do {
            // The media is fetched first, because the origin removes it before its companions.
            let media = try await media(of: row, track)
            fetchMore()
            for companion in row.conditions.companions { try await fetch(companion, row, track) }
            var row = row
            row.state = .stored
            row.length = media.length
            row.isWrapped = media.isWrapped
            row.firstFrameLength = media.firstFrameLength
            guard track.noteCompletion(of: row, at: monotonic) else { return await discard(row, track) }
            settled.append(Settled(track: track, row: row, reason: ""))
            await flush()
        } catch {
            await failed(row, track, CacheError.wrap(error, as: .unreachable, "\(row.url) couldn't be fetched"))
        }
    }

    /// Fetches the media of a segment, unless it is cached already.
    private func media(of row: RecordedSegment, _ track: RecordedTrack) async throws -> FetchedPart {
        defer { track.inFlight -= 1 }
        if let media = track.awaited[row.number]?.media { return media }
        if track.awaited[row.number]?.mayBeFromOtherCopy == true {
            try await dependencies.recordingStore.removeParts([id.storedName(row.name, track: track.folder)])
            track.awaited[row.number]?.mayBeFromOtherCopy = false
        }
        var part = part(row, track: track.folder)
        part.scope = try part.scope ?? scope(ofUnknown: ResourceURL(part.url))
        let media = try await dependencies.recordingStore.fetch(part, settings: try settings(), group: group)
        // Another copy may have been chosen during the fetch.
        if track.awaited[row.number]?.mayBeFromOtherCopy == false {
            track.awaited[row.number]?.media = media
            track.awaited[row.number]?.row.url = row.url
            track.awaited[row.number]?.row.range = row.range
        }
        arrivals.append((monotonic, media.length))
        if arrivals.count > 1000 { arrivals.removeFirst(500) }
        return media
    }

    /// Fetches a companion once for all segments of the track that need it. After a failure, calls before the retry
    /// time throw its error.
    private func fetch(_ companion: RecordedConditions.Companion, _ row: RecordedSegment, _ track: RecordedTrack)
        async throws
    {
        var part = part(companion, row, track: track.folder)
        part.scope = try part.scope ?? scope(ofUnknown: ResourceURL(part.url))
        let name = part.storedAs ?? part.url
        let known = companions[name]
        if let known, known.retry.map({ monotonic < $0 }) ?? true { return try await Self.value(of: known.fetch) }
        let (recordingStore, group) = (dependencies.recordingStore, group)
        let settings = try settings()
        let task = Task { _ = try await recordingStore.fetch(part, settings: settings, group: group) }
        if companions.count > 64 * tracks.count { companions = [:] }
        companions[name] = Companion(fetch: task, failures: known?.failures ?? 0)
        do {
            try await Self.value(of: task)
            // Segments that wait for this companion are retried immediately.
            if known != nil {
                track.queue.retryAll()
                fetchMore()
            }
        } catch {
            let failures = (known?.failures ?? 0) + 1
            companions[name]?.failures = failures
            companions[name]?.retry =
                monotonic
                + RecordedTrack.delay(after: failures, CacheError.wrap(error, as: .unreachable, companion.url))
            throw error
        }
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
    private func discard(_ row: RecordedSegment, _ track: RecordedTrack) async {
        try? await dependencies.recordingStore.removeParts([id.storedName(row.name, track: track.folder)])
    }

    /// Notes a failed fetch. Expired links are renewed.
    private func failed(_ row: RecordedSegment, _ track: RecordedTrack, _ error: CacheError) async {
        let otherArrival = tracks.compactMap(\.fetched).max()
        guard track.noteFailure(of: row, error, at: monotonic, otherArrival: otherArrival) else {
            return await discard(row, track)
        }
        if error.code == .originStatus, [401, 403, 404, 410].contains(error.status), isRunning { await refreshLinks() }
    }

    /// Turns awaited segments into gaps.
    func lose(_ track: RecordedTrack, _ reason: String, where isLost: (AwaitedSegment) -> Bool) {
        let known = Set(settled.filter { $0.track === track }.map(\.row.number))
        let lost = track.awaited.values.filter { isLost($0) && !known.contains($0.row.number) }
        for awaited in lost.sorted(by: { $0.row.number < $1.row.number }) {
            var row = awaited.row
            row.state = .gap
            let reason = awaited.reason.isEmpty ? reason : "\(reason): \(awaited.reason)"
            settled.append(Settled(track: track, row: row, reason: reason))
            track.awaited[row.number] = nil
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
                try await dependencies.recordingStore.commit()
                for track in tracks {
                    let rows = batch.filter { $0.track === track }.map(\.row)
                    if !rows.isEmpty { try await track.timeline.settle(rows) }
                }
            } catch {
                // The disk may be full. The next flush tries again.
                settled = batch + settled
                return
            }
            // Lost segments may have partial bytes.
            let lost = batch.filter { $0.row.state == .gap && !$0.row.url.isEmpty }
            try? await dependencies.recordingStore.removeParts(
                lost.map { id.storedName($0.row.name, track: $0.track.folder) })
            for done in batch {
                done.track.awaited[done.row.number] = nil
                if done.row.state == .gap {
                    reportGap(done.row, done.track, done.reason)
                } else {
                    dependencies.events.send(
                        .segment(
                            channel.name, track: done.track.folder,
                            start: Date(nanosecondsSinceEpoch: done.row.start),
                            duration: Double(done.row.duration) / 1e9, bytes: done.row.length))
                }
            }
            await writeEntry(batch)
            await applyRetention()
        }
    }

    /// Writes the entry of a channel with a single media playlist, once the first segment shows its bandwidth.
    private func writeEntry(_ batch: [Settled]) async {
        guard channel.entry.isEmpty, tracks.count == 1 else { return }
        guard let row = batch.first(where: { $0.row.state == .stored && $0.row.duration > 0 })?.row else { return }
        // With a margin of 50%, since later segments may be larger.
        let bandwidth = Int(min(Double(row.length) * 12e9 / Double(row.duration), 1e12))
        let entry = ChannelEntry.single(folder: tracks[0].folder, bandwidth: bandwidth)
        try? await change { $0.entry = entry }
    }

    // MARK: - Parts

    /// Returns a segment as an asset part, whose start counts from `origin` in nanoseconds since 1970.
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

    nonisolated func part(_ companion: RecordedConditions.Companion, _ row: RecordedSegment, track: String) -> AssetPart
    {
        var part = AssetPart(
            role: companion.role, name: "\(track)/\(companion.name)", url: companion.url, range: companion.range,
            isEncrypted: row.conditions.map?.keys.encryptWholeResources ?? false)
        part.storedAs = id.storedName(companion.name, track: track)
        part.scope = row.scope
        return part
    }
}
