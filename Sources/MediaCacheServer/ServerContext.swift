import Logging
import NIOPosix

/// What all connections of one server share.
final class ServerContext: Sendable {
    let source: any ByteReaderSource
    let access: AccessControl
    let hosts: HostPolicy
    /// Whether who isn't on this machine needs no key to read.
    let isReadByAll: Bool
    let profiles: HeaderProfileBook
    let router: Router
    let limits: ServerLimits
    let metrics: ServerMetrics
    let pieces = PieceBuffersByLoop()
    let pool: NIOThreadPool
    /// Lets in one change at a time of those that are made only if something is as it was.
    let conditionalChanges = Turnstile(mostAtOnce: 1)
    let logger: Logger

    init(
        source: any ByteReaderSource,
        access: AccessControl,
        hosts: HostPolicy,
        isReadByAll: Bool = false,
        profiles: HeaderProfileBook,
        router: Router,
        limits: ServerLimits,
        metrics: ServerMetrics,
        pool: NIOThreadPool = .singleton,
        logger: Logger
    ) {
        self.source = source
        self.access = access
        self.hosts = hosts
        self.isReadByAll = isReadByAll
        self.profiles = profiles
        self.router = router
        self.limits = limits
        self.metrics = metrics
        self.pool = pool
        self.logger = logger
    }
}
