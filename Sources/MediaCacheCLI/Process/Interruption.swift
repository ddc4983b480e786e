import Dispatch
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// SIGINT and SIGTERM, and SIGHUP where that is wanted, as a value to wait for: the first asks the command to end in good
/// order, the second ends the process at once.
final class Interruption: Sendable {
    private let state = Mutex(State())

    private struct State {
        var signal: Int32?
        var receivedAt: ContinuousClock.Instant?
        var nextWaiter = 0
        var waiting: [Int: CheckedContinuation<Int32?, Never>] = [:]
        var sources: [any DispatchSourceSignal] = []
    }

    /// Takes the signals over from now on.
    ///
    /// - Parameter includingHangUps: whether SIGHUP is one of them, unless the process was started with it ignored.
    init(includingHangUps: Bool = false) {
        for number in [SIGINT, SIGTERM] + (includingHangUps && !HangUps.areIgnored ? [SIGHUP] : []) {
            #if canImport(Darwin)
                // Else the default action ends the process: the source only looks on.
                signal(number, SIG_IGN)
            #else
                // The source takes the signal out of the queue; an ignored one never gets there. A shell's background
                // jobs are born ignoring SIGINT.
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

    /// The signal that came, once one has.
    var received: Int32? { state.withLock { $0.signal } }

    /// Waits for the first signal; at once if it has come.
    ///
    /// - Returns: the signal's number, or nil as soon as the task is cancelled.
    func wait() async -> Int32? {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSettled = state.withLock { state in
                    // A cancellation that came before this line has found nobody to release.
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

    /// Who wraps a command often sends a signal to it and to its group; within this time both are the first.
    private static let echo = Duration.milliseconds(250)

    private func receive(_ number: Int32) {
        let now = ContinuousClock.now
        let waiting = state.withLock { state -> [CheckedContinuation<Int32?, Never>]? in
            if let first = state.receivedAt { return now - first < Self.echo ? [] : nil }
            state.signal = number
            state.receivedAt = now
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        guard let waiting else {
            // The person asked twice. What is committed stays; nothing else is promised.
            _exit(128 + number)
        }
        for continuation in waiting { continuation.resume(returning: number) }
    }
}

extension Interruption {
    /// Runs `body` and cancels it when a signal comes.
    ///
    /// - Returns: what `body` returned, or nil if a signal came before it was done.
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
