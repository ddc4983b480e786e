import Dispatch
import Foundation
import Synchronization

/// The signals SIGINT and SIGTERM, and optionally SIGHUP. The first signal requests a graceful end of the command. A
/// later one exits the process at once, unless it's a repetition of the first.
final class Interruption: Sendable {
    private let state = Mutex(State())

    private struct State {
        var signal: Int32?
        var receivedAt: ContinuousClock.Instant?
        var nextWaiter = 0
        var waiting: [Int: CheckedContinuation<Int32?, Never>] = [:]
        var sources: [any DispatchSourceSignal] = []
    }

    /// - Parameter includingHangUps: Whether SIGHUP is handled, unless the process was started with it ignored.
    init(includingHangUps: Bool = false) {
        for number in [SIGINT, SIGTERM] + (includingHangUps && !HangUps.areIgnored ? [SIGHUP] : []) {
            #if canImport(Darwin)
                // A dispatch source doesn't prevent the default action, which would end the process.
                signal(number, SIG_IGN)
            #else
                // A dispatch source doesn't receive an ignored signal, and shells start background jobs with SIGINT
                // ignored.
                signal(number, SIG_DFL)
            #endif
            state.withLock { state in
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
                source.setEventHandler { [weak self] in self?.receive(number) }
                source.activate()
                state.sources.append(source)
            }
        }
    }

    deinit {
        state.withLock { state in
            for source in state.sources { source.cancel() }
        }
    }

    var received: Int32? { state.withLock { $0.signal } }

    /// Waits for the first signal and returns its number; nil after cancellation.
    func wait() async -> Int32? {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSettled = state.withLock { state in
                    // A cancellation before this point didn't find the waiter.
                    guard state.signal == nil, !Task.isCancelled else { return true }
                    state.waiting[waiter] = continuation
                    return false
                }
                if isSettled { continuation.resume(returning: received) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: nil)
        }
    }

    /// The time during which another signal is a repetition. Wrappers often signal both a process and its group.
    private static let repetition = Duration.milliseconds(250)

    private func receive(_ number: Int32) {
        let now = ContinuousClock.now
        let waiting = state.withLock { state -> [CheckedContinuation<Int32?, Never>]? in
            if let first = state.receivedAt { return now - first < Self.repetition ? [] : nil }
            state.signal = number
            state.receivedAt = now
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        guard let waiting else {
            // Only committed data is guaranteed to survive a second signal.
            _exit(128 + number)
        }
        for continuation in waiting { continuation.resume(returning: number) }
    }
}

extension Interruption {
    /// Runs `body`, and cancels it after a signal.
    ///
    /// - Returns: The result of `body`; nil after a signal.
    /// - Throws: Errors from `body`, except after a signal.
    func cancelling<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                _ = await self.wait()
                return nil
            }
            defer { group.cancelAll() }
            do {
                return try await group.next() ?? nil
            } catch {
                if received != nil { return nil }
                throw error
            }
        }
    }
}
