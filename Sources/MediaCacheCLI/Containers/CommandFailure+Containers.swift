import MediaCache
import MediaContainers

extension CommandFailure {
    /// Why a container can't be read or written, naming it; what lies beneath is told in its own words.
    init(_ error: ContainerError, of name: String) {
        if error.cause is CancellationError {
            self.init(.interrupted, "interrupted")
        } else if let cause = error.cause, let failure = CommandFailure(cause) {
            self = failure
        } else {
            // What can't be opened names itself.
            self.init(.failed, error.what.hasPrefix(name) ? "\(error)" : "\(name): \(error)")
        }
    }
}
