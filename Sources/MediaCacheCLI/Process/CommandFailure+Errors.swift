import MediaCache
import MediaCacheAPI
import MediaCacheServer

extension CommandFailure {
    /// `error` as one line and an exit code; nil if it's none that the engine, the server or its client throws.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case is CancellationError: self.init(.interrupted, "interrupted")
        case let error as CacheError where error.code == .cancelled: self.init(.interrupted, "interrupted")
        // Its message says all; the cause is how a lock says no.
        case let error as CacheError where error.code == .folderOwned: self.init(.failed, error.message)
        case let error as CacheError: self.init(.failed, error.description)
        case let error as Problem: self.init(.failed, error.detail.isEmpty ? error.title : error.detail)
        case let error as APIClientError: self.init(.failed, error.description)
        case let error as ServerError: self.init(.failed, error.message)
        case let error as ArgumentTextError: self.init(.usage, error.description)
        default: return nil
        }
    }
}
