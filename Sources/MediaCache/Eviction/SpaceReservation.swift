import Synchronization

/// Reservations of disk space for bytes to be written, so that writes don't exceed the limits.
///
/// Measuring space is slow, so a measurement grants space for many writes.
package final class SpaceReservation: Sendable {
    /// The maximum grant in bytes, except for a larger reservation. Limited, because other processes use the disk, too.
    private static let grant: Int64 = 64 << 20
    /// The number of bytes that always stay free, because the catalog needs space to record removals.
    static let floor: Int64 = 1 << 20

    /// Returns the number of bytes that may be written. Evicts content first if that would be less than `needed`.
    typealias Measure = @Sendable (_ needed: Int64) async throws -> Int64

    private struct State {
        var granted: Int64 = 0
        /// The number of bytes reserved and not yet written, which measurements don't include.
        var pendingBytes: Int64 = 0
        /// The total of all reservations so far, including ended ones, in bytes.
        var totalReserved: Int64 = 0
        var measure: Measure?
        var measuring: Task<CacheError?, Never>?
        /// The number of calls of ``revoke()``.
        var revocations = 0
    }

    private let state = Mutex(State())

    func setMeasure(_ measure: @escaping Measure) {
        state.withLock { $0.measure = measure }
    }

    /// Withdraws granted space, and discards a running measurement, because the limits have changed.
    func revoke() {
        state.withLock { state in
            state.granted = 0
            state.revocations += 1
        }
    }

    /// Reserves space for `count` bytes, then calls `write`, which writes at most that many.
    ///
    /// - Throws: ``CacheError`` with ``CacheError/Code/storage`` if a limit would be exceeded or space can't be
    ///   measured; the errors of `write`.
    func reserve<Result: Sendable>(_ count: Int64, for write: () async throws -> Result) async throws -> Result {
        try await reserve(count)
        do {
            let result = try await write()
            state.withLock { $0.pendingBytes -= count }
            return result
        } catch {
            state.withLock { state in
                state.pendingBytes -= count
                // The disk may be fuller than measured.
                state.granted = 0
            }
            throw error
        }
    }

    private func reserve(_ count: Int64) async throws {
        while true {
            let measuring = state.withLock { state -> Task<CacheError?, Never>? in
                if state.granted >= count {
                    state.granted -= count
                    state.pendingBytes += count
                    state.totalReserved += count
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
        let before = state.withLock { $0 }
        let result: Result<Int64, any Error>
        do {
            result = .success(try await before.measure?(count + before.pendingBytes) ?? .max)
        } catch {
            result = .failure(error)
        }
        return state.withLock { state in
            state.measuring = nil
            // Waiting writes measure again.
            guard state.revocations == before.revocations else { return nil }
            switch result {
            case .success(let space):
                let unseen = before.pendingBytes + state.totalReserved - before.totalReserved
                state.granted = min(max(0, space - unseen), max(Self.grant, count))
                return nil
            case .failure(let error):
                return CacheError.wrap(error, as: .storage, "the space for the cache can't be determined")
            }
        }
    }
}
