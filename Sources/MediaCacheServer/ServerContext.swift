import Logging
import MediaLibrary
import NIOPosix

/// The state shared by all connections of a server.
final class ServerContext: Sendable {
    let access: AccessControl
    let hosts: HostPolicy
    /// Whether remote clients may read without a token.
    let hasPublicReads: Bool
    let router: Router
    /// The public path, which is removed from the targets of local requests (``RequestGate``). Empty if there is none,
    /// or if paths below it are paths of routes, which would be ambiguous.
    let publicPath: String
    let limits: ServerLimits
    let metrics: ServerMetrics
    let pieces = PieceBuffersByLoop()
    let pool: NIOThreadPool
    let conditionalChanges = ConcurrencyLimit()
    let logger: Logger

    init(
        access: AccessControl, hosts: HostPolicy, hasPublicReads: Bool = false, router: Router,
        publicPath: String = "", limits: ServerLimits, metrics: ServerMetrics, pool: NIOThreadPool = .singleton,
        logger: Logger
    ) {
        self.access = access
        self.hosts = hosts
        self.hasPublicReads = hasPublicReads
        self.router = router
        self.publicPath = router.overlaps(publicPath) ? "" : publicPath
        self.limits = limits
        self.metrics = metrics
        self.pool = pool
        self.logger = logger
    }
}
