import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session shared by all exchanges of an origin.
final class SessionSource: Sendable {
    /// A timeout in seconds that is longer than any exchange.
    static let noTimeout: Double = 7 * 86_400

    private let delegate = SessionDelegate()
    /// The session; nil after ``shutdown()``.
    private let session: Mutex<URLSession?>

    init(_ settings: URLSessionSettings) {
        let configuration = URLSessionConfiguration.ephemeral
        settings.apply(to: configuration)
        configuration.timeoutIntervalForRequest = Self.noTimeout
        session = Mutex(
            URLSession(configuration: configuration, delegate: delegate, delegateQueue: SessionQueue()))
    }

    /// Returns a suspended task for a request; nil after ``shutdown()``.
    func task(
        of request: URLRequest, sending content: Data?, for exchange: URLSessionExchange
    ) -> URLSessionDataTask? {
        session.withLock { session in
            guard let session else { return nil }
            // With a data task, the system would add a `Content-Type`, and wouldn't report progress on Linux.
            let task = content.map { session.uploadTask(with: request, from: $0) } ?? session.dataTask(with: request)
            delegate.add(exchange, for: task.taskIdentifier)
            return task
        }
    }

    /// Cancels all transfers and prevents new ones.
    func shutdown() {
        let session = session.withLock { session in
            defer { session = nil }
            return session
        }
        session?.invalidateAndCancel()
    }
}

/// The delegate of a session, which forwards each callback to the exchange of its task.
///
/// The system handles authentication challenges: it verifies certificates and has no credentials.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Mutex<[Int: URLSessionExchange]>([:])

    func add(_ exchange: URLSessionExchange, for task: Int) {
        exchanges.withLock { $0[task] = exchange }
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = exchange(of: dataTask)?.receive(response) ?? false
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.didSend(totalBytesSent)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }

    /// Refuses to follow a redirect, so that the engine receives its response and follows it.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(Darwin)
        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
            completionHandler: @escaping (CachedURLResponse?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
            exchange(of: task)?.waitForConnectivity()
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            exchange(of: task)?.setConnection(ConnectionMetrics(metrics))
        }
    #endif
}

/// The serial queue on which a session calls its delegate.
///
/// FoundationNetworking adds operations from the thread that reads all connections, even if the delegate is slow. On
/// Linux, the queue therefore blocks that thread while too many operations are pending. A delegate method must never
/// wait for that thread.
///
/// `Sendable` is unchecked because a subclass of `OperationQueue` can't be checked. `condition` protects the state.
final class SessionQueue: OperationQueue, @unchecked Sendable {
    #if !canImport(Darwin)
        /// The maximum number of pending operations.
        private static let limit = 32

        private let condition = NSCondition()
        private var pending = 0
    #endif

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if !canImport(Darwin)
        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            condition.withLock {
                while pending >= Self.limit { condition.wait() }
                pending += 1
            }
            super.addOperation { [self] in
                block()
                condition.withLock {
                    pending -= 1
                    condition.signal()
                }
            }
        }
    #endif
}
