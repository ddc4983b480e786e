import MediaCache
import MediaCacheAPI
import MediaCacheServer
import MediaLibrary

extension CommandFailure {
    /// Creates the failure of an error; nil for an unknown type of error.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case is CancellationError: self.init(.interrupted, "interrupted")
        case let error as CacheError where error.code == .cancelled: self.init(.interrupted, "interrupted")
        // The cause is omitted, since it's only the error of locking the folder.
        case let error as CacheError where error.code == .folderOwned: self.init(.failed, error.message)
        case let error as CacheError: self.init(.failed, error.description)
        case let error as MediaJobError: self.init(error)
        case let error as Problem: self.init(.failed, error.detail.isEmpty ? error.title : error.detail)
        case let error as APIClientError: self.init(.failed, error.description)
        case let error as ServerError: self.init(.failed, error.message)
        case let error as ArgumentTextError: self.init(.usage, error.description)
        default: return nil
        }
    }

    /// Creates the failure of a media job. If the type of the error's cause is known, the cause provides the message,
    /// since it's more specific.
    private init(_ error: MediaJobError) {
        if let cause = error.cause, let failure = CommandFailure(cause) {
            self = failure
            return
        }
        switch error.code {
        case .cancelled: self.init(.interrupted, "interrupted")
        case .invalidArgument: self.init(.usage, error.message)
        case .outputExists: self.init(.failed, "\(error.message); use --force to replace it")
        case .missingParts: self.init(.failed, "\(error.message); use --gaps to leave gaps instead")
        case .mediaInsteadOfPlaylist, .failed: self.init(.failed, error.message)
        }
    }
}
