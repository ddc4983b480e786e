import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The session that all exchanges of an origin go through.
final class SessionSource: Sendable {
    /// Seconds; longer than any exchange lasts.
    static let noTimeout: Double = 7 * 86_400

    private let delegate = SessionDelegate()
    /// Nil after the end.
    private let session: Mutex<URLSession?>

    init(_ settings: URLSessionSettings) {
        let configuration = URLSessionConfiguration.ephemeral
        settings.apply(to: configuration)
        configuration.timeoutIntervalForRequest = Self.noTimeout
        session = Mutex(
            URLSession(configuration: configuration, delegate: delegate, delegateQueue: SessionQueue()))
    }

    /// The task of a request, which hasn't begun; nil after the end.
    func task(of request: URLRequest, for exchange: URLSessionExchange) -> URLSessionDataTask? {
        session.withLock { session in
            guard let task = session?.dataTask(with: request) else { return nil }
            delegate.add(exchange, for: task.taskIdentifier)
            return task
        }
    }

    /// Ends all transfers; no other begins.
    func shutdown() {
        let session = session.withLock { session in
            defer { session = nil }
            return session
        }
        session?.invalidateAndCancel()
    }
}
