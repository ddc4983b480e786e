import Foundation

/// The queue on which a session tells its delegate what comes, one thing at a time.
///
/// FoundationNetworking adds to it from the thread that reads all connections, however slowly the delegate takes it. There
/// it has that thread wait while as much is untold. Nothing that is told may wait for that thread.
final class SessionQueue: OperationQueue, @unchecked Sendable {
    #if !canImport(Darwin)
        /// What may be untold.
        private static let most = 32

        private let condition = NSCondition()
        private var untold = 0
    #endif

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if !canImport(Darwin)
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            condition.withLock {
                while untold >= Self.most { condition.wait() }
                untold += 1
            }
            super.addOperation { [self] in
                block()
                condition.withLock {
                    untold -= 1
                    condition.signal()
                }
            }
        }
    #endif
}
