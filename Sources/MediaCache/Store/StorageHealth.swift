package import Logging
import Synchronization

/// A record of failures to store bytes. Only the first of several consecutive failures is reported.
package final class StorageHealth: Sendable {
    private let events: EventHub<CacheEvent>
    private let logger: Logger
    private let state = Mutex(State())

    private struct State {
        var isFailing = false
        var lastFailure: CacheError?
        var mayRecover = true
    }

    package init(events: EventHub<CacheEvent>, logger: Logger) {
        self.events = events
        self.logger = logger
    }

    /// Whether an attempt to store bytes has failed since the folder last proved writable.
    package var isFailing: Bool { state.withLock { $0.isFailing } }

    /// The last failure to store bytes, even after a recovery; nil if there was none.
    package var lastFailure: CacheError? { state.withLock { $0.lastFailure } }

    package func failed(_ error: CacheError) {
        let wasFailing = state.withLock { state in
            state.lastFailure = error
            return exchange(&state.isFailing, with: true)
        }
        guard !wasFailing else { return }
        logger.error("storing failed", metadata: ["error": "\(error)"])
        events.send(.storageFailed(error))
    }

    /// Records damage to the catalog. Nothing is stored until the next opening, which replaces the catalog.
    package func failedForGood(_ error: CacheError) {
        state.withLock { $0.mayRecover = false }
        failed(error)
    }

    /// Whether another attempt may succeed.
    package var mayRecover: Bool { state.withLock { $0.mayRecover } }

    /// Records that the folder accepts bytes again.
    package func recovered() {
        if state.withLock({ exchange(&$0.isFailing, with: false) }) { logger.notice("storing resumed") }
    }
}
