import Foundation
import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Takes what a background session tells: files that came, and transfers that failed.
final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
    private let deliveries: DeliveryFolder
    /// Whom it tells, once there is somebody.
    private let listener = Mutex<(@Sendable (News) -> Void)?>(nil)

    /// What has happened.
    enum News: Sendable {
        case delivered(BackgroundWish)
        case failed(BackgroundWish, CacheError)
        /// Nothing is left of what the system had to tell.
        case toldAll
    }

    private let now: @Sendable () -> Date

    init(_ deliveries: DeliveryFolder, now: @escaping @Sendable () -> Date) {
        self.deliveries = deliveries
        self.now = now
    }

    func listen(_ body: @escaping @Sendable (News) -> Void) { listener.withLock { $0 = body } }

    private func tell(_ news: News) { listener.withLock { $0 }?(news) }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        guard let wish = BackgroundWish(downloadTask.taskDescription),
            let response = downloadTask.response as? HTTPURLResponse
        else { return }
        let head = SessionHead(response)
        let place = response.url?.absoluteString
        do {
            if head.isDecodedPart {
                throw CacheError(.badResponse, "\(wish.url) came as a part of what is in a content coding")
            }
            // The file is gone when this returns.
            try deliveries.add(
                location,
                DeliveryFolder.Record(
                    wish: wish, status: response.statusCode,
                    headerFields: head.fields,
                    location: place == downloadTask.originalRequest?.url?.absoluteString ? nil : place, received: now())
            )
            tell(.delivered(wish))
        } catch {
            tell(.failed(wish, CacheError.wrap(error, as: .storage, "\(wish.url) can't be taken")))
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error, let wish = BackgroundWish(task.taskDescription) else { return }
        let host = task.originalRequest?.url?.host() ?? wish.url
        tell(.failed(wish, SessionFailure.cacheError(for: error, host: host, hadHead: task.response != nil)))
    }

    #if canImport(Darwin)
        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { tell(.toldAll) }
    #endif
}
