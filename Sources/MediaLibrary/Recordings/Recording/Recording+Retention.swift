internal import MediaCache
internal import Synchronization

extension Recording {
    /// The number of newest segments that size limits spare while recording, since players at the live edge need them.
    static let spared: Int64 = 3

    /// Removes one batch of the oldest segments that exceed the limits, except pinned ones.
    func applyRetention() async { await cleaner.runPass { await removeOldest() } }

    /// Applies retention if no segment has arrived for a while, since segments age in the meantime.
    func applyRetentionPeriodically() async {
        if cleaner.isDue { await applyRetention() }
    }

    /// Applies changed limits or programmes to all segments, including those skipped before.
    func retentionChanged() async { await cleaner.applyChange { await removeOldest() } }

    func interruptPruning() async { await cleaner.interrupt() }

    /// Removes one batch. Returns whether more has to be removed.
    private func removeOldest() async -> Bool {
        guard channel.retention.freeBytes != nil else { return await removeOldestNow() }
        return await dependencies.freeSpace.batches.runUncancelled { await removeOldestNow() }
    }

    private func removeOldestNow() async -> Bool {
        let retention = channel.retention
        guard !channel.hasEnded, retention != Retention() else { return false }
        do {
            let waiting = tracks.reduce(0) { $0 + $1.awaited.waitingBytes }
            let excess = await cleaner.excess(of: timelines, waiting: waiting, retention)
            try await discardBacklog()
            let limits = Pruning.Limits(
                oldest: oldest(retention), segments: retention.segments, excess: excess,
                spared: isRunning ? Self.spared : 0)
            let choice = try await cleaner.nextBatch(of: timelines, limits: limits, outside: pinned)
            for track in tracks {
                // Programmes may have been added in the meantime.
                let pinned = pinned
                let rows = choice.rows[track.folder, default: []].filter { !$0.overlaps(pinned) }
                guard !rows.isEmpty else { continue }
                forgetCompanions(of: rows, track)
                try await track.timeline.remove(rows.map(\.number))
                let bytes = rows.reduce(0) { $0 + ($1.state == .stored ? $1.length : 0) }
                dependencies.freeSpace.noteRemoval(of: bytes)
                dependencies.events.send(.pruned(channel.name, segments: rows.count, bytes: bytes))
            }
            return !choice.isComplete
        } catch {
            // The next pass tries again.
            cleaner.restart()
            return false
        }
    }

    /// The time ranges that programmes pin, in nanoseconds since 1970.
    var pinned: [Range<Int64>] { channel.programmes.map(\.nanoseconds) }

    /// Forgets the companions of removed segments, so that later segments fetch them again if they were removed, too.
    private func forgetCompanions(of rows: [RecordedSegment], _ track: RecordedTrack) {
        let folder = track.folder
        for name in Set(rows.flatMap { $0.conditions.companions.map(\.name) }) {
            let stored = id.storedName(name, track: folder)
            // Later segments mostly share the companion, so the search ends early.
            guard companions[stored] != nil,
                !track.awaited.contains(where: { $0.row.conditions.companions.contains { $0.name == name } })
            else { continue }
            companions[stored] = nil
        }
    }

    /// Removes the whole recording with its timelines.
    ///
    /// - Parameter keepingMedia: Whether the media belongs to an asset now.
    func removeAll(keepingMedia: Bool) async throws {
        await cleaner.interrupt()
        try await cleaner.exclude {
            for timeline in timelines { try await timeline.removeAll(keepingMedia: keepingMedia) }
            // Includes parts listed only in unreadable pages.
            if !keepingMedia { try await dependencies.recordingStore.removeAllParts(of: channel.id) }
            let files = try await dependencies.recordingStore.files(of: channel.id)
            try await dependencies.recordingStore.removeFiles(files, of: channel.id)
            timelineList.withLock { $0 = [] }
            tracks = []
        }
    }
}
