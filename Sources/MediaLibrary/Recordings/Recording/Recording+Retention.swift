internal import Foundation
internal import MediaCache
internal import Synchronization

/// Where giving up is.
struct RetentionState: Sendable {
    /// The first number that may be given up, by track.
    var cursors: [String: Int64] = [:]
    /// When the disk was looked at last.
    var measured: Duration?
    var freeBytes: Int64 = .max
}

/// Keeping within the limits.
extension Recording {
    /// The disk is asked at most so often how much room it has.
    private static let measureInterval = Duration.seconds(10)

    /// Gives up the oldest until every limit holds. What is pinned stays. It costs as much as is given up.
    func applyRetention() async {
        guard !channel.hasEnded else { return }
        let limits = channel.retention
        guard limits != Retention() else { return }
        do {
            var excess = try await excess(limits)
            let oldest = limits.seconds.map { now - Int64($0 * 1e9) } ?? .min
            let pinned = channel.programmes.map(\.nanoseconds)
            var going: [String: [RecordedSegment]] = [:]
            var heads: [String: RecordedSegment] = [:]
            var done: Set<String> = []
            while done.count < timelines.count {
                for timeline in timelines where heads[timeline.track] == nil && !done.contains(timeline.track) {
                    let cursor = prune.cursors[timeline.track] ?? 0
                    let head = try await timeline.first(from: cursor, outside: pinned)
                    guard let head, head.state != .awaited, head.number < timeline.edge else {
                        done.insert(timeline.track)
                        continue
                    }
                    heads[timeline.track] = head
                }
                // Over all tracks the oldest first, so that they begin together.
                guard let (track, head) = heads.min(by: { ($0.value.start, $0.key) < ($1.value.start, $1.key) }) else {
                    break
                }
                let timeline = timelines.first { $0.track == track }
                let isOverCount =
                    limits.segments.map { (timeline?.next ?? 0) - head.number > Int64(max(1, $0)) } ?? false
                guard head.end <= oldest || isOverCount || excess > 0 else {
                    // Later ones of other tracks may be too many by their count.
                    heads[track] = nil
                    done.insert(track)
                    continue
                }
                going[track, default: []].append(head)
                if head.state == .kept { excess -= head.length }
                prune.cursors[track] = head.number + 1
                heads[track] = nil
            }
            for timeline in timelines {
                guard let rows = going[timeline.track] else { continue }
                try await timeline.giveUp(rows.map(\.number))
                work.events.send(
                    .pruned(
                        channel.name, segments: rows.count,
                        bytes: rows.reduce(0) { $0 + ($1.state == .kept ? $1.length : 0) }))
            }
        } catch {
            // What couldn't be given up is tried again with the next segment.
            prune.cursors = [:]
        }
    }

    /// How many bytes are too many.
    private func excess(_ limits: Retention) async throws -> Int64 {
        var excess: Int64 = 0
        if let most = limits.bytes { excess = timelines.reduce(0) { $0 + $1.totals.bytes } - most }
        if let least = limits.freeBytes {
            if prune.measured.map({ monotonic - $0 >= Self.measureInterval }) ?? true {
                prune.freeBytes = try await work.place.freeBytes()
                prune.measured = monotonic
                excess = max(excess, least - prune.freeBytes)
            }
        }
        return excess
    }

    /// Limits or programmes have changed: what was passed over is looked at again.
    func retentionChanged() async {
        prune.cursors = [:]
        await applyRetention()
    }

    /// Gives up all of it, the timeline too.
    ///
    /// - Parameter keepingMedia: whether its media is an asset's now.
    func removeAll(keepingMedia: Bool) async throws {
        for timeline in timelines { try await timeline.removeAll(keepingMedia: keepingMedia) }
        let files = try await work.place.files(of: channel.id)
        try await work.place.removeFiles(files, of: channel.id)
        shelf.withLock { $0 = [] }
        tracks = []
    }
}
