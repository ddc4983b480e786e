internal import Foundation
internal import HLS
internal import MediaCache

/// Fetching what the playlists name.
extension Recording {
    /// Segments of a track that are fetched at once.
    private static let width = 6
    private static let firstDelay = Duration.milliseconds(500)
    private static let longestDelay = Duration.seconds(4)
    /// How long players wait for one segment that its origin says isn't there, though its playlist names it.
    private static let absencePatience = Duration.seconds(60)
    /// How long for one that fails in another way, while others come.
    private static let failurePatience = Duration.seconds(120)

    /// What an earlier process was ended over: what came of it is only looked at, the rest is fetched.
    func resume() {
        let now = monotonic
        for index in tracks.indices {
            for row in tracks[index].timeline.awaited {
                expect(row, index, now)
            }
        }
    }

    /// A segment is to be fetched.
    func expect(_ row: RecordedSegment, _ index: Int, _ now: Duration) {
        tracks[index].awaited[row.number] = Awaited(row: row, seen: now)
        tracks[index].queue.append(row.number)
    }

    /// Starts what there is room for: what began first goes first, since it's gone first.
    func fetchMore() {
        guard isRunning else { return }
        let now = monotonic
        for index in tracks.indices {
            while tracks[index].underWay < Self.width, let number = tracks[index].queue.next(at: now) {
                guard let awaited = tracks[index].awaited[number], !awaited.isUnderWay else { continue }
                tracks[index].awaited[number]?.isUnderWay = true
                tracks[index].underWay += 1
                let id = nextFetch
                nextFetch += 1
                fetches[id] = Task {
                    await self.fetch(awaited.row, index)
                    self.fetches[id] = nil
                }
            }
        }
    }

    private func fetch(_ row: RecordedSegment, _ index: Int) async {
        do {
            for companion in row.conditions.companions { try await fetch(companion, row, index) }
            let url = try ResourceURL(row.url)
            let fetched = try await work.place.fetch(
                part(row, track: tracks[index].folder), settings: try settings(for: url), group: group)
            var row = row
            row.state = .kept
            row.length = fetched.length
            row.isWrapped = fetched.isWrapped
            row.firstPicture = fetched.firstPicture
            tracks[index].fetched = monotonic
            arrivals.append((monotonic, fetched.length))
            if arrivals.count > 1000 { arrivals.removeFirst(500) }
            settled.append(Settled(track: index, row: row, reason: ""))
            tracks[index].underWay -= 1
            fetchMore()
            await flush()
        } catch {
            await failed(row, index, CacheError.wrap(error, as: .unreachable, "\(row.url) can't be fetched"))
        }
    }

    private func fetch(_ companion: RecordedConditions.Companion, _ row: RecordedSegment, _ index: Int) async throws {
        let part = part(companion, row, track: tracks[index].folder)
        let name = part.keptAs ?? part.url
        if let task = companions[name] { return try await Self.value(of: task) }
        let (place, group) = (work.place, group)
        let settings = try settings(for: try ResourceURL(part.url))
        let task = Task { _ = try await place.fetch(part, settings: settings, group: group) }
        companions[name] = task
        if companions.count > 64 * tracks.count { companions = [name: task] }
        do {
            try await Self.value(of: task)
        } catch {
            companions[name] = nil
            throw error
        }
    }

    /// Who is stopped doesn't wait for it: all who wait for it are.
    private static func value(of task: Task<Void, any Error>) async throws {
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func failed(_ row: RecordedSegment, _ index: Int, _ error: CacheError) async {
        tracks[index].underWay -= 1
        guard var awaited = tracks[index].awaited[row.number] else { return }
        awaited.isUnderWay = false
        awaited.failures += 1
        awaited.failed = (awaited.failed?.lowerBound ?? monotonic)...monotonic
        awaited.reason = error.message
        let delay = min(Self.firstDelay * (1 << min(awaited.failures - 1, 4)), Self.longestDelay)
        let now = monotonic
        tracks[index].queue.retry(row.number, at: now + max(delay, min(error.retryAfter ?? .zero, .seconds(10))))
        let isAbsent = error.code == .originStatus && (error.status == 404 || error.status == 410)
        awaited.absentSince = isAbsent ? awaited.absentSince ?? now : nil
        tracks[index].awaited[row.number] = awaited
        if error.code == .originStatus, [401, 403, 404, 410].contains(error.status), isRunning { await refreshLinks() }
    }

    /// Gives up on what can't be had any more.
    func expire() {
        for index in tracks.indices where !tracks[index].awaited.isEmpty {
            let track = tracks[index]
            lose(index, "it had left the playlist before it came") { isLeft($0, of: track) }
            lose(index, "it didn't come, though its playlist names it") { isHopeless($0, of: track) }
        }
    }

    /// Whether a segment isn't in its playlist any more, and can't be had.
    private func isLeft(_ awaited: Awaited, of track: Track) -> Bool {
        // While its playlist can't be had nobody knows what is still there.
        guard !awaited.isUnderWay, track.trouble == nil, track.loaded != nil, let failed = awaited.failed?.upperBound,
            failed > max(awaited.seen, track.recovered), track.follower.present(awaited.row) == nil
        else { return false }
        // An origin has to keep it for a while (RFC 8216bis §6.2.2).
        let isAbsent = awaited.absentSince != nil
        let window = Duration.nanoseconds(isAbsent ? 0 : track.follower.known?.durationNanoseconds ?? 0)
        return monotonic - awaited.seen >= max(track.targetDuration * 3, window)
    }

    /// Whether a segment isn't worth waiting for, though its playlist names it: others come, or nothing comes any more.
    private func isHopeless(_ awaited: Awaited, of track: Track) -> Bool {
        guard !awaited.isUnderWay, let failed = awaited.failed, track.trouble == nil || track.endedSince != nil else {
            return false
        }
        let now = monotonic
        let othersCome = (track.fetched ?? .zero) >= failed.lowerBound
        if let absent = awaited.absentSince, now - absent >= Self.absencePatience {
            return othersCome || track.endedSince != nil
        }
        if let ended = track.endedSince, now - ended >= Self.failurePatience { return failed.upperBound > ended }
        return othersCome && now - failed.lowerBound >= Self.failurePatience && failed.upperBound > track.recovered
    }

    /// Makes gaps of what is awaited.
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

    /// Puts into the timeline what became of segments: bytes first, durably.
    func flush() async {
        guard !isFlushing else { return }
        isFlushing = true
        defer { isFlushing = false }
        while !settled.isEmpty {
            let batch = settled
            settled = []
            do {
                try await work.place.commit()
                for index in tracks.indices {
                    let rows = batch.filter { $0.track == index }.map(\.row)
                    if !rows.isEmpty { try await tracks[index].timeline.settle(rows) }
                }
            } catch {
                // On a full disk: with the next change, or in half a second.
                settled = batch + settled
                return
            }
            // What came of those that are lost.
            let lost = batch.filter { $0.row.state == .gap && !$0.row.url.isEmpty }
            try? await work.place.removeParts(
                lost.map { id.keptName($0.row.name, track: tracks[$0.track].folder) })
            for done in batch {
                tracks[done.track].awaited[done.row.number] = nil
                if done.row.state == .gap {
                    tellGap(done.row, done.track, done.reason)
                } else {
                    work.events.send(
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

    /// A stream that is one media playlist gets an entry when the first of it has come: it says how fast that is.
    private func writeEntry(_ batch: [Settled]) async {
        guard channel.entry.isEmpty, tracks.count == 1 else { return }
        guard let row = batch.first(where: { $0.row.state == .kept && $0.row.duration > 0 })?.row else { return }
        // Half as much again, since the first one isn't the greatest.
        let bandwidth = Int(min(Double(row.length) * 12e9 / Double(row.duration), 1e12))
        let entry = ChannelEntry.single(folder: tracks[0].folder, bandwidth: bandwidth)
        try? await change { $0.entry = entry }
    }

    // MARK: - Parts

    /// A segment as something to fetch, and to find again.
    nonisolated func part(_ row: RecordedSegment, track: String, origin: Int64 = 0) -> AssetPart {
        let ciphers = row.conditions.keys.compactMap { SegmentCipher($0.method) }
        var part = AssetPart(
            role: .mediaSegment, name: "\(track)/\(row.name)", url: row.url, range: row.range,
            start: Double(row.start - origin) / 1e9, duration: Double(row.duration) / 1e9,
            isEncrypted: !ciphers.isEmpty, hasWholeBlocks: !ciphers.isEmpty && !ciphers.contains(.aes256Counter))
        part.keptAs = id.keptName(row.name, track: track)
        return part
    }

    /// A key or a media initialization section that a segment needs, likewise.
    nonisolated func part(_ companion: RecordedConditions.Companion, _ row: RecordedSegment, track: String) -> AssetPart
    {
        var part = AssetPart(
            role: companion.role, name: "\(track)/\(companion.name)", url: companion.url, range: companion.range,
            isEncrypted: LocalTags.encryptsAll(row.conditions.map?.keys ?? []))
        part.keptAs = id.keptName(companion.name, track: track)
        return part
    }
}
