import Foundation
import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The delegate of a background session. It moves downloaded files to the delivery folder, and reports deliveries and
/// failures.
final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
    private let deliveries: DeliveryFolder
    /// The receiver of the reports; nil until ``listen(_:)``.
    private let listener = Mutex<(@Sendable (Report) -> Void)?>(nil)

    /// A report about the session or one of its transfers.
    enum Report: Sendable {
        case delivered(BackgroundRequest)
        case failed(BackgroundRequest, CacheError)
        /// The system has delivered all events of the session.
        case deliveredAllEvents
    }

    private let now: @Sendable () -> Date

    init(_ deliveries: DeliveryFolder, now: @escaping @Sendable () -> Date) {
        self.deliveries = deliveries
        self.now = now
    }

    func listen(_ body: @escaping @Sendable (Report) -> Void) { listener.withLock { $0 = body } }

    private func report(_ report: Report) { listener.withLock { $0 }?(report) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let request = BackgroundRequest(downloadTask.taskDescription),
            let response = downloadTask.response as? HTTPURLResponse
        else { return }
        let head = SessionHead(response)
        let finalURL = response.url?.absoluteString
        do {
            if head.isDecodedPart {
                throw CacheError(
                    .badResponse,
                    "the response for \(request.url) is part of a body with a content coding, which can't be decoded")
            }
            // The system deletes the file when this method returns.
            try deliveries.add(
                location,
                DeliveryFolder.Record(
                    request: request, status: response.statusCode,
                    headerFields: head.fields,
                    location: finalURL == downloadTask.originalRequest?.url?.absoluteString ? nil : finalURL,
                    received: now())
            )
            report(.delivered(request))
        } catch {
            report(.failed(request, CacheError.wrap(error, as: .storage, "\(request.url) can't be stored")))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error, let request = BackgroundRequest(task.taskDescription) else { return }
        let host = task.originalRequest?.url?.host() ?? request.url
        report(.failed(request, URLErrorMapper.cacheError(for: error, host: host, hadHead: task.response != nil)))
    }

    #if canImport(Darwin)
        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { report(.deliveredAllEvents) }
    #endif
}
