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
    /// Whether nothing more is to be given up now.
    var isInterrupted = false
    /// When the disk was looked at last, and the limits.
    var measured: Duration?
    /// The bytes that the recording can have before the disk is too full; nil before the disk was looked at.
    var room: Int64?
    var looked: Duration?
}

/// A clock for the age of segments, in nanoseconds since 1970. It doesn't follow steps of the wall clock: a time server or a
/// person who sets that makes no segment older.
struct AgeClock: Sendable {
    /// A stream's present that is earlier than the last one by more than this comes of another clock of the stream.
    private static let longestStepBack: Int64 = 60_000_000_000

    private let wall: Int64
    private let monotonic: Duration
    /// The stream's present as it was last.
    private var present: Int64?

    /// A clock that shows `wall` at a moment, and goes on from there.
    init(_ wall: Int64, at monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// What the clock shows at a moment.
    func now(at monotonic: Duration) -> Int64 { wall.clampedSum((monotonic - self.monotonic).nanoseconds) }

    /// Returns the present by a stream's clock, in nanoseconds since 1970: when the newest segment ends, and the time since
    /// it arrived. Segments arrive unevenly, so it stands still rather than going back, unless the stream's clock is set
    /// back by more than a minute.
    mutating func present(after newest: RecordedSegment?, at monotonic: Duration) -> Int64 {
        let now = now(at: monotonic)
        guard let newest else { return now }
        let next = now.clampedSum(newest.end.clampedSum(-newest.arrived))
        if let present, present > next, present.clampedSum(-next) <= Self.longestStepBack { return present }
        present = next
        return next
    }
}

/// The clocks of a recording.
extension Recording {
    /// Now by the clock of segments' arrivals, in nanoseconds since 1970.
    var arrivalNow: Int64 {
        let now = monotonic
        return age.withLock { $0.now(at: now) }
    }

    /// The present by the stream's clock, in nanoseconds since 1970, from which relative moments count: about the live edge
    /// while it's recorded, and going on from there when nothing arrives. By the recorder's clock where nothing is recorded.
    package nonisolated var present: Int64 {
        let newest = timelines.compactMap(\.last).max { $0.arrived < $1.arrived }
        let now = work.store.time.monotonic
        return age.withLock { $0.present(after: newest, at: now) }
    }
}

/// Keeping within the limits.
extension Recording {
    /// The disk is asked at most so often how much room it has; and the clock, where nothing comes.
    private static let measureInterval = Duration.seconds(10)
    /// So many segments go at a time, so that new ones needn't wait for long.
    private static let batch = 256
    /// While it's recorded, players of the live edge need so many to go on.
    static let spared: Int64 = 3

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
            while !prune.isInterrupted, await giveUpOldest() {}
            prune.isBusy = false
        }
    }

    /// Returns when nothing is being given up. The rest of what is too much is given up later.
    func interruptPruning() async {
        prune.isInterrupted = true
        await prune.turns.take {}
        prune.isInterrupted = false
    }

    /// Returns whether there is more to give up.
    private func giveUpOldest() async -> Bool {
        prune.looked = monotonic
        let retention = channel.retention
        guard !channel.hasEnded, retention != Retention() else { return false }
        do {
            let excess = try await excess(retention)
            try await giveUpBacklog()
            let limits = Pruning.Limits(
                oldest: oldest(retention), segments: retention.segments, excess: excess,
                spared: isRunning ? Self.spared : 0)
            var pruning = prune.pruning
            let choice = try await pruning.choose(
                of: timelines, limits: limits, outside: pinned, atMost: Self.batch)
            prune.pruning = pruning
            for (index, track) in tracks.enumerated() {
                // Programmes may have been added meanwhile.
                let pinned = pinned
                let rows = choice.rows[track.folder, default: []].filter { !$0.overlaps(pinned) }
                guard !rows.isEmpty else { continue }
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

    /// The stretches of time that programmes keep, in nanoseconds since 1970.
    var pinned: [Range<Int64>] { channel.programmes.map(\.nanoseconds) }

    /// What these needed may go with them: who needs it later looks for it again.
    private func forgetCompanions(of rows: [RecordedSegment], _ index: Int) {
        let folder = tracks[index].folder
        for name in Set(rows.flatMap { $0.conditions.companions.map(\.name) }) {
            let kept = id.keptName(name, track: folder)
            // Segments behind need the same one mostly, so that few of them are looked at.
            guard companions[kept] != nil,
                !tracks[index].awaited.contains(where: { $0.row.conditions.companions.contains { $0.name == name } })
            else { continue }
            companions[kept] = nil
        }
    }

    /// How many bytes are too many.
    private func excess(_ limits: Retention) async throws -> Int64 {
        var excess: Int64 = 0
        if let most = limits.bytes {
            let waiting = tracks.reduce(0) { $0 + $1.awaited.waitingBytes }
            excess = timelines.reduce(waiting) { $0 + $1.totals.bytes } - max(0, most)
        }
        if let least = limits.freeBytes, prune.measured.map({ monotonic - $0 >= Self.measureInterval }) ?? true {
            prune.measured = monotonic
            let free = try await work.place.freeBytes()
            prune.room = timelines.reduce(free - least) { $0 + $1.totals.bytes }
            excess = max(excess, least - free)
        }
        return excess
    }

    /// Gives up all of it, the timeline too.
    ///
    /// - Parameter keepingMedia: whether its media is an asset's now.
    func removeAll(keepingMedia: Bool) async throws {
        await interruptPruning()
        try await prune.turns.take {
            for timeline in timelines { try await timeline.removeAll(keepingMedia: keepingMedia) }
            // Includes the parts of unreadable pages.
            if !keepingMedia { try await work.place.removeAllParts(of: channel.id) }
            let files = try await work.place.files(of: channel.id)
            try await work.place.removeFiles(files, of: channel.id)
            shelf.withLock { $0 = [] }
            tracks = []
        }
    }
}
