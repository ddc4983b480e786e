package import Logging
import Synchronization

/// Whether the folder takes bytes at this moment. Tells of the first failure in a row, not of each.
package final class StorageHealth: Sendable {
    private let events: EventHub<CacheEvent>
    private let logger: Logger
    private let failing = Mutex(false)
    private let last = Mutex<CacheError?>(nil)
    private let beyondRepair = Mutex(false)

    package init(events: EventHub<CacheEvent>, logger: Logger) {
        self.events = events
        self.logger = logger
    }

    /// Whether the last attempt to keep something failed, and none has worked since.
    package var isFailing: Bool { failing.withLock { $0 } }

    /// What couldn't be kept last, and why.
    package var lastFailure: CacheError? { last.withLock { $0 } }

    /// Something couldn't be kept.
    package func failed(_ error: CacheError) {
        last.withLock { $0 = error }
        let wasFailing = failing.withLock { failing in
            defer { failing = true }
            return failing
        }
        guard !wasFailing else { return }
        logger.error("not keeping", metadata: ["error": "\(error)"])
        events.send(.storageFailed(error))
    }

    /// The catalog is damaged: until the next opening, which sets it aside, nothing is kept.
    package func failedForGood(_ error: CacheError) {
        beyondRepair.withLock { $0 = true }
        failed(error)
    }

    /// Whether it's worth trying again.
    package var mayRecover: Bool { !beyondRepair.withLock { $0 } }

    /// The folder takes bytes again.
    package func recovered() {
        let wasFailing = failing.withLock { failing in
            defer { failing = false }
            return failing
        }
        if wasFailing { logger.notice("keeping again") }
    }
}
