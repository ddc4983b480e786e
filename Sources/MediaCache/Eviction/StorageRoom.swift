import Synchronization

/// Room for bytes that are about to be written, so that the byte limit and the free-disk reserve hold while fills run,
/// and not only some time after them.
///
/// Room is measured now and then only: writers take from what was granted last.
package final class StorageRoom: Sendable {
    /// What is granted at most at a time: others write to the same disk.
    private static let grant: Int64 = 64 << 20
    /// Left free in any case: without it the catalog couldn't even say what is given up.
    static let floor: Int64 = 1 << 20

    /// Tells how many bytes may be written, after giving up others for at least `needed` where there's less.
    typealias Measure = @Sendable (_ needed: Int64) async throws -> Int64

    private struct State {
        var granted: Int64 = 0
        /// Taken and not yet written: no measure sees it.
        var beingWritten: Int64 = 0
        /// All that was ever taken.
        var taken: Int64 = 0
        var measure: Measure?
        var measuring: Task<CacheError?, Never>?
    }

    private let state = Mutex(State())

    /// Sets how room is measured.
    func setMeasure(_ measure: @escaping Measure) {
        state.withLock { $0.measure = measure }
    }

    /// Calls `write`, which writes up to `count` bytes, once there is room for them.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if they would pass a limit; what `write` throws.
    func take<Result: Sendable>(_ count: Int64, for write: () async throws -> Result) async throws -> Result {
        try await take(count)
        do {
            let result = try await write()
            state.withLock { $0.beingWritten -= count }
            return result
        } catch {
            state.withLock { state in
                state.beingWritten -= count
                // The disk may be fuller than it was.
                state.granted = 0
            }
            throw error
        }
    }

    private func take(_ count: Int64) async throws {
        while true {
            let measuring = state.withLock { state -> Task<CacheError?, Never>? in
                if state.granted >= count {
                    state.granted -= count
                    state.beingWritten += count
                    state.taken += count
                    return nil
                }
                if let measuring = state.measuring { return measuring }
                let task = Task { await self.measure(count) }
                state.measuring = task
                return task
            }
            guard let measuring else { return }
            if let failure = await measuring.value { throw failure }
        }
    }

    private func measure(_ count: Int64) async -> CacheError? {
        let (measure, beingWritten, taken) = state.withLock { ($0.measure, $0.beingWritten, $0.taken) }
        do {
            let needed = count + beingWritten
            let room = try await measure?(needed) ?? .max
            state.withLock { state in
                let unseen = beingWritten + state.taken - taken
                state.granted = min(max(0, room - unseen), max(Self.grant, count))
                state.measuring = nil
            }
            return nil
        } catch {
            state.withLock { $0.measuring = nil }
            return CacheError.wrap(error, as: .storage, "it can't be told how much may be kept")
        }
    }
}
