internal import MediaCache
internal import Synchronization

/// A selector of the segments that a recording's retention removes, oldest first and in batches. It measures the
/// excess, remembers the position of the search, and serializes passes. It's isolated to its recording's actor.
final class RetentionCleaner {
    /// The minimum interval between passes while no segment arrives.
    private static let passInterval = Duration.seconds(10)
    /// The maximum number of segments per batch. Small batches don't delay new segments for long.
    private static let batchSize = 256

    private let recordingStore: any RecordingStore
    private let freeSpace: FreeDiskSpace
    private let time: any TimeSource
    /// The position of the next search.
    private var pruning = Pruning()
    private let passes = ConcurrencyLimit()
    /// Whether passes for changed limits are running.
    private var appliesChange = false
    private var isInterrupted = false
    private var lastPass: Duration?
    /// The time of the measurement from which ``space`` was calculated.
    private var lastMeasurement: Duration?
    /// The number of bytes that the recording may occupy before the disk is too full; nil before the first measurement.
    private(set) var space: Int64?

    init(recordingStore: any RecordingStore, freeSpace: FreeDiskSpace, time: any TimeSource) {
        self.recordingStore = recordingStore
        self.freeSpace = freeSpace
        self.time = time
    }

    // MARK: - Passes

    /// Whether no pass has begun for ``passInterval``.
    var isDue: Bool { lastPass.map { time.monotonic - $0 >= Self.passInterval } ?? true }

    /// Runs a pass that removes one batch, unless the passes for changed limits are running.
    func runPass(isolation: isolated (any Actor)? = #isolation, _ pass: () async -> Bool) async {
        guard !appliesChange else { return }
        await passes.runUncancelled {
            lastPass = time.monotonic
            _ = await pass()
        }
    }

    /// Runs passes over all segments, including those skipped before, until changed limits are met. The first pass
    /// measures the free disk space. `pass` removes one batch, and returns whether more has to be removed.
    func applyChange(isolation: isolated (any Actor)? = #isolation, _ pass: () async -> Bool) async {
        await passes.runUncancelled {
            appliesChange = true
            restart()
            freeSpace.invalidate()
            lastMeasurement = nil
            lastPass = time.monotonic
            while !isInterrupted, await pass() { lastPass = time.monotonic }
            appliesChange = false
        }
    }

    /// Interrupts the passes, and returns once none is running. The remaining excess is removed later.
    func interrupt(isolation: isolated (any Actor)? = #isolation) async {
        isInterrupted = true
        await passes.runUncancelled {}
        isInterrupted = false
    }

    /// Runs an operation while no pass is running.
    func exclude<Result>(
        isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await passes.runUncancelled(operation)
    }

    // MARK: - Selection

    /// Returns the number of bytes by which the limits on size and free disk space are exceeded; 0 or less if neither
    /// is. If the free disk space can't be measured, its limit doesn't apply.
    ///
    /// - Parameter waiting: The number of cached bytes of awaited segments.
    func excess(
        isolation: isolated (any Actor)? = #isolation, of timelines: [Timeline], waiting: Int64, _ limits: Retention
    ) async -> Int64 {
        var excess: Int64 = 0
        if let most = limits.bytes { excess = timelines.reduce(waiting) { $0 + $1.totals.bytes } - max(0, most) }
        if let least = limits.freeBytes, let free = await freeSpace.current(in: recordingStore, at: time.monotonic) {
            if free.measured != lastMeasurement {
                lastMeasurement = free.measured
                space = timelines.reduce(free.bytes - least) { $0 + $1.totals.bytes }
            }
            excess = max(excess, least - free.bytes)
        }
        return excess
    }

    /// Returns the next batch of segments to remove outside the pinned time ranges.
    func nextBatch(
        isolation: isolated (any Actor)? = #isolation, of timelines: [Timeline], limits: Pruning.Limits,
        outside pinned: [Range<Int64>]
    ) async throws -> Pruning.Choice {
        var pruning = pruning
        let choice = try await pruning.choose(of: timelines, limits: limits, outside: pinned, atMost: Self.batchSize)
        self.pruning = pruning
        return choice
    }

    /// Restarts the search at the first segment.
    func restart() { pruning = Pruning() }
}

/// The free space on a store's disk. Recordings share it, so that only one removes segments for the same shortage.
final class FreeDiskSpace: Sendable {
    /// The minimum interval between measurements.
    private static let measureInterval = Duration.seconds(10)

    /// A lock that serializes removals, so that a batch is chosen once the previous one has been noted.
    let batches = ConcurrencyLimit()
    private let last = Mutex<(bytes: Int64, measured: Duration)?>(nil)

    /// Returns the number of free bytes, including those removed since it was measured, and the time of the
    /// measurement; nil if it can't be measured. It's measured at intervals.
    func current(in store: any RecordingStore, at now: Duration) async -> (bytes: Int64, measured: Duration)? {
        if let last = last.withLock({ $0 }), now - last.measured < Self.measureInterval { return last }
        // If this fails, an earlier measurement isn't used, because it may be outdated, and the next call tries again.
        let current = (try? await store.freeBytes()).map { (bytes: $0, measured: now) }
        last.withLock { $0 = current }
        return current
    }

    /// Measures at the next call of ``current(in:at:)``.
    func invalidate() { last.withLock { $0 = nil } }

    /// Adds removed bytes until the space is measured again.
    func noteRemoval(of bytes: Int64) {
        last.withLock { last in
            guard let known = last else { return }
            last = (bytes: known.bytes + bytes, measured: known.measured)
        }
    }
}
