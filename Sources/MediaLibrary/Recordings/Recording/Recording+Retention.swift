internal import Foundation
internal import MediaCache
internal import Synchronization

/// Where giving up is.
struct RetentionState: Sendable {
    /// What is looked at next.
    var pruning = Pruning()
    /// One at a time.
    let turns = Turns()
    var isBusy = false
    /// When the disk was looked at last, and the limits.
    var measured: Duration?
    var looked: Duration?
}

/// Keeping within the limits.
extension Recording {
    /// The disk is asked at most so often how much room it has; and the clock, where nothing comes.
    private static let measureInterval = Duration.seconds(10)
    /// So many segments go at a time, so that new ones needn't wait for long.
    private static let batch = 256
    /// While it's recorded, players of the live edge need so many to go on.
    private static let spared: Int64 = 3

    /// Gives up the oldest until every limit holds, or so many of them that it will soon. What is pinned stays. It costs
    /// as much as is given up.
    func applyRetention() async {
        // Whoever is at it goes on until all is done.
        guard !prune.isBusy else { return }
        _ = await prune.turns.take { await giveUpOldest() }
    }

    /// The same where nothing comes for long: the oldest gets older.
    func applyRetentionInTime() async {
        if let looked = prune.looked, monotonic - looked < Self.measureInterval { return }
        await applyRetention()
    }

    /// Limits or programmes have changed: what was passed over is looked at again, and all that is too much goes.
    func retentionChanged() async {
        await prune.turns.take {
            prune.isBusy = true
            prune.pruning = Pruning()
            prune.measured = nil
            while await giveUpOldest() {}
            prune.isBusy = false
        }
    }

    /// Returns whether there is more to give up.
    private func giveUpOldest() async -> Bool {
        prune.looked = monotonic
        let retention = channel.retention
        guard !channel.hasEnded, retention != Retention() else { return false }
        do {
            let limits = Pruning.Limits(
                oldest: retention.seconds.map { now.clampedSum(-Int64(min(max(0, $0), 1e9) * 1e9)) } ?? .min,
                segments: retention.segments, excess: try await excess(retention), spared: isRunning ? Self.spared : 0)
            var pruning = prune.pruning
            let choice = try await pruning.choose(
                of: timelines, limits: limits, outside: channel.programmes.map(\.nanoseconds), atMost: Self.batch)
            prune.pruning = pruning
            for (index, track) in tracks.enumerated() {
                guard let rows = choice.rows[track.folder] else { continue }
                forgetCompanions(of: rows, index)
                try await track.timeline.giveUp(rows.map(\.number))
                work.events.send(
                    .pruned(
                        channel.name, segments: rows.count,
                        bytes: rows.reduce(0) { $0 + ($1.state == .kept ? $1.length : 0) }))
            }
            return !choice.isComplete
        } catch {
            // What couldn't be given up is tried again with the next segment.
            prune.pruning = Pruning()
            return false
        }
    }

    /// What these needed may go with them: who needs it later looks for it again.
    private func forgetCompanions(of rows: [RecordedSegment], _ index: Int) {
        let folder = tracks[index].folder
        let awaited = Set(tracks[index].awaited.values.flatMap { $0.row.conditions.companions.map(\.name) })
        for name in Set(rows.flatMap { $0.conditions.companions.map(\.name) }).subtracting(awaited) {
            companions[id.keptName(name, track: folder)] = nil
        }
    }

    /// How many bytes are too many.
    private func excess(_ limits: Retention) async throws -> Int64 {
        var excess: Int64 = 0
        if let most = limits.bytes { excess = timelines.reduce(0) { $0 + $1.totals.bytes } - max(0, most) }
        if let least = limits.freeBytes, prune.measured.map({ monotonic - $0 >= Self.measureInterval }) ?? true {
            prune.measured = monotonic
            excess = max(excess, least - (try await work.place.freeBytes()))
        }
        return excess
    }

    /// Gives up all of it, the timeline too.
    ///
    /// - Parameter keepingMedia: whether its media is an asset's now.
    func removeAll(keepingMedia: Bool) async throws {
        for timeline in timelines { try await timeline.removeAll(keepingMedia: keepingMedia) }
        // Also what pages told of that can't be read.
        if !keepingMedia { try await work.place.removeAllParts(of: channel.id) }
        let files = try await work.place.files(of: channel.id)
        try await work.place.removeFiles(files, of: channel.id)
        shelf.withLock { $0 = [] }
        tracks = []
    }
}
