public import Foundation
public import MediaCache
import Synchronization

/// A clock that a test advances manually.
public final class ManualTime: TimeSource {
    private struct Sleeper {
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        /// The minimum number of sleepers.
        var count: Int
        /// The deadline that a sleeper must have; nil for any.
        var deadline: Duration?
        var continuation: CheckedContinuation<Void, Never>

        func isReached(_ sleepers: [Int: Sleeper]) -> Bool {
            sleepers.count >= count && (deadline == nil || sleepers.values.contains { $0.deadline == deadline })
        }
    }

    private struct State {
        var monotonic: Duration = .zero
        var wall: Date
        var sleepers: [Int: Sleeper] = [:]
        var nextID = 0
        var watchers: [Watcher] = []
    }

    private let state: Mutex<State>

    /// Creates a clock with `date` as the wall-clock time.
    public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000)) { state = Mutex(State(wall: date)) }

    /// The wall-clock time.
    public var now: Date { state.withLock { $0.wall } }

    /// The time since the clock was created.
    public var monotonic: Duration { state.withLock { $0.monotonic } }

    /// Waits until the clock has advanced by `duration`. Throws `CancellationError` if the task is cancelled.
    public func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                var woken: [CheckedContinuation<Void, Never>] = []
                let isOver = state.withLock { state in
                    guard duration > .zero, !Task.isCancelled else { return true }
                    state.sleepers[id] = Sleeper(
                        deadline: state.monotonic + duration, continuation: continuation)
                    let sleepers = state.sleepers
                    woken = state.watchers.filter { $0.isReached(sleepers) }.map(\.continuation)
                    state.watchers.removeAll { $0.isReached(sleepers) }
                    return false
                }
                for watcher in woken { watcher.resume() }
                if isOver { continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(())) }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances both clocks, and resumes expired sleeps in order of their deadlines.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.monotonic += duration
            state.wall += duration.seconds
            let due = state.sleepers.filter { $0.value.deadline <= state.monotonic }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Sets only the wall-clock time.
    public func setWallClock(to date: Date) { state.withLock { $0.wall = date } }

    /// The number of tasks sleeping on this clock.
    public var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// The times at which the tasks that sleep on this clock wake up.
    package var deadlines: [Duration] { state.withLock { $0.sleepers.values.map(\.deadline) } }

    /// Waits until at least `count` tasks sleep on this clock. Ignores cancellation of the task.
    public func waitForSleepers(_ count: Int = 1) async { await wait(count, nil) }

    /// Waits until a task sleeps on this clock exactly until `deadline`, a value of ``monotonic``. Ignores cancellation
    /// of the task.
    package func waitForSleeper(until deadline: Duration) async { await wait(1, deadline) }

    private func wait(_ count: Int, _ deadline: Duration?) async {
        await withCheckedContinuation { continuation in
            let watcher = Watcher(count: count, deadline: deadline, continuation: continuation)
            let isReached = state.withLock { state in
                if watcher.isReached(state.sleepers) { return true }
                state.watchers.append(watcher)
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}
