import Logging
import Synchronization

/// How much is logged, by all loggers that it made: it can be changed while they are in use.
final class AdjustableLevel: Sendable {
    private let state: Mutex<Logger.Level>

    /// A level.
    init(_ level: Logger.Level) {
        state = Mutex(level)
    }

    /// What is logged at least.
    var value: Logger.Level {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// A logger to standard error that goes by this level.
    func logger(label: String) -> Logger {
        Logger(label: label) { AdjustableLogHandler(level: self, handler: StreamLogHandler.standardError(label: $0)) }
    }
}

/// A log handler whose level is elsewhere.
private struct AdjustableLogHandler: LogHandler {
    let level: AdjustableLevel
    var handler: StreamLogHandler

    var logLevel: Logger.Level {
        get { level.value }
        // A copy that somebody makes chattier would make all the others so.
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
