import Logging
import Synchronization

/// The log level of a group of loggers, which can change while they are in use.
final class AdjustableLevel: Sendable {
    private let state: Mutex<Logger.Level>

    init(_ level: Logger.Level) {
        state = Mutex(level)
    }

    var value: Logger.Level {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Returns a logger to standard error with this level.
    func logger(label: String) -> Logger {
        Logger(label: label) { AdjustableLogHandler(level: self, handler: StreamLogHandler.standardError(label: $0)) }
    }
}

/// A log handler with a shared level.
private struct AdjustableLogHandler: LogHandler {
    let level: AdjustableLevel
    var handler: StreamLogHandler

    var logLevel: Logger.Level {
        get { level.value }
        // Setting the level of one logger must not change the others.
        set {}
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) { handler.log(event: event) }
}
