internal import Foundation
internal import MediaCache
internal import Synchronization

/// The progress of retention.
struct RetentionState: Sendable {
    /// The position of the next search.
    var pruning = Pruning()
    /// A lock that serializes passes.
    let changes = ConcurrencyLimit()
    var isBusy = false
    /// Whether pruning is interrupted.
    var isInterrupted = false
    /// The time at which free disk space was last measured.
    var measured: Duration?
    /// The number of bytes that the recording may occupy before the disk is too full; nil before the first measurement.
    var room: Int64?
    var looked: Duration?
}

/// A clock for the age of segments, in nanoseconds since 1970. It doesn't follow steps of the wall clock, so that
/// setting that makes no segment older.
struct AgeClock: Sendable {
    /// The longest step back of the stream's present that is suppressed. A longer one means that the stream's clock was
    /// set.
    private static let longestStepBack: Int64 = 60_000_000_000

    private let wall: Int64
    private let monotonic: Duration
    /// The last value of the stream's present.
    private var present: Int64?

    /// Creates a clock that shows `wall` at `monotonic`.
    init(_ wall: Int64, at monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Returns the time at a moment of the monotonic clock.
    func now(at monotonic: Duration) -> Int64 { wall.clampedSum((monotonic - self.monotonic).nanoseconds) }

    /// Returns the stream's present in nanoseconds since 1970: the end of the newest segment plus the time since its
    /// arrival. Segments arrive unevenly, so the present stands still instead of going back, unless the stream's clock
    /// is set back by more than a minute.
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
    /// The current time of the clock of segment arrivals, in nanoseconds since 1970.
    var arrivalNow: Int64 {
        let now = monotonic
        return age.withLock { $0.now(at: now) }
    }

    /// The stream's present in nanoseconds since 1970, the reference of relative times. It is close to the live edge
    /// while recording, and continues from there when nothing arrives. Without recorded segments it is the recorder's
    /// clock.
    package nonisolated var present: Int64 {
        let newest = timelines.compactMap(\.last).max { $0.arrived < $1.arrived }
        let now = dependencies.store.time.monotonic
        return age.withLock { $0.present(after: newest, at: now) }
    }
}

/// Retention.
extension Recording {
    /// The minimum interval between measurements of the free disk space, and between passes while no segment arrives.
    private static let measureInterval = Duration.seconds(10)
    /// The maximum number of segments per pass, so that new ones needn't wait for long.
    private static let batch = 256
    /// The number of newest segments that are spared while recording, for players at the live edge.
    static let spared: Int64 = 3

    /// Removes one batch of the oldest segments that exceed the limits. Pinned segments stay. The cost is proportional
    /// to the number of removed segments.
    func applyRetention() async {
        // A pass in progress continues until the limits hold.
        guard !prune.isBusy else { return }
        _ = await prune.changes.runUncancelled { await removeOldest() }
    }

    /// Applies retention when no segment has arrived for a while: segments get older.
    func applyRetentionPeriodically() async {
        if let looked = prune.looked, monotonic - looked < Self.measureInterval { return }
        await applyRetention()
    }

    /// Applies changed limits or programmes to all segments, including those skipped before.
    func retentionChanged() async {
        await prune.changes.runUncancelled {
            prune.isBusy = true
            prune.pruning = Pruning()
            prune.measured = nil
            while !prune.isInterrupted, await removeOldest() {}
            prune.isBusy = false
        }
    }

    /// Interrupts pruning, and returns when none is running. The remaining excess is removed later.
    func interruptPruning() async {
        prune.isInterrupted = true
        await prune.changes.runUncancelled {}
        prune.isInterrupted = false
    }

    /// Removes one batch. Returns whether more has to be removed.
    private func removeOldest() async -> Bool {
        prune.looked = monotonic
        let retention = channel.retention
        guard !channel.hasEnded, retention != Retention() else { return false }
        do {
            let excess = try await excess(retention)
            try await discardBacklog()
            let limits = Pruning.Limits(
                oldest: oldest(retention), segments: retention.segments, excess: excess,
                spared: isRunning ? Self.spared : 0)
            var pruning = prune.pruning
            let choice = try await pruning.choose(
                of: timelines, limits: limits, outside: pinned, atMost: Self.batch)
            prune.pruning = pruning
            for track in tracks {
                // Programmes may have been added in the meantime.
                let pinned = pinned
                let rows = choice.rows[track.folder, default: []].filter { !$0.overlaps(pinned) }
                guard !rows.isEmpty else { continue }
                forgetCompanions(of: rows, track)
                try await track.timeline.remove(rows.map(\.number))
                dependencies.events.send(
                    .pruned(
                        channel.name, segments: rows.count,
                        bytes: rows.reduce(0) { $0 + ($1.state == .stored ? $1.length : 0) }))
            }
            return !choice.isComplete
        } catch {
            // The next segment triggers another attempt.
            prune.pruning = Pruning()
            return false
        }
    }

    /// The time ranges that programmes pin, in nanoseconds since 1970.
    var pinned: [Range<Int64>] { channel.programmes.map(\.nanoseconds) }

    /// Forgets the companions of removed segments, which may be removed with them. Later segments look for them again.
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

    /// Returns the number of bytes beyond the limits.
    private func excess(_ limits: Retention) async throws -> Int64 {
        var excess: Int64 = 0
        if let most = limits.bytes {
            let waiting = tracks.reduce(0) { $0 + $1.awaited.waitingBytes }
            excess = timelines.reduce(waiting) { $0 + $1.totals.bytes } - max(0, most)
        }
        if let least = limits.freeBytes, prune.measured.map({ monotonic - $0 >= Self.measureInterval }) ?? true {
            prune.measured = monotonic
            let free = try await dependencies.place.freeBytes()
            prune.room = timelines.reduce(free - least) { $0 + $1.totals.bytes }
            excess = max(excess, least - free)
        }
        return excess
    }

    /// Removes the whole recording with its timelines.
    ///
    /// - Parameter keepingMedia: Whether the media belongs to an asset now.
    func removeAll(keepingMedia: Bool) async throws {
        await interruptPruning()
        try await prune.changes.runUncancelled {
            for timeline in timelines { try await timeline.removeAll(keepingMedia: keepingMedia) }
            // Includes parts listed only in unreadable pages.
            if !keepingMedia { try await dependencies.place.removeAllParts(of: channel.id) }
            let files = try await dependencies.place.files(of: channel.id)
            try await dependencies.place.removeFiles(files, of: channel.id)
            timelineList.withLock { $0 = [] }
            tracks = []
        }
    }
}
