package import Logging
import Synchronization

/// A record of failures to store bytes. Only the first of several consecutive failures is reported.
package final class StorageHealth: Sendable {
    private let events: EventHub<CacheEvent>
    private let logger: Logger
    private let failing = Mutex(false)
    private let last = Mutex<CacheError?>(nil)
    private let isUnrecoverable = Mutex(false)

    package init(events: EventHub<CacheEvent>, logger: Logger) {
        self.events = events
        self.logger = logger
    }

    /// Whether an attempt to store bytes has failed, and none has succeeded since.
    package var isFailing: Bool { failing.withLock { $0 } }

    /// The last failure to store bytes, even after a recovery; nil if there was none.
    package var lastFailure: CacheError? { last.withLock { $0 } }

    /// Records a failure to store bytes.
    package func failed(_ error: CacheError) {
        last.withLock { $0 = error }
        let wasFailing = failing.withLock { failing in
            defer { failing = true }
            return failing
        }
        guard !wasFailing else { return }
        logger.error("storing failed", metadata: ["error": "\(error)"])
        events.send(.storageFailed(error))
    }

    /// Records damage to the catalog. Nothing is stored until the next opening, which replaces the catalog.
    package func failedForGood(_ error: CacheError) {
        isUnrecoverable.withLock { $0 = true }
        failed(error)
    }

    /// Whether another attempt may succeed.
    package var mayRecover: Bool { !isUnrecoverable.withLock { $0 } }

    /// Records that the folder accepts bytes again.
    package func recovered() {
        let wasFailing = failing.withLock { failing in
            defer { failing = false }
            return failing
        }
        if wasFailing { logger.notice("storing resumed") }
    }
}
