import Foundation
import HTTPTypes
import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request and its response. The session's delegate delivers the response, and one reader consumes it.
final class URLSessionExchange: ReadableExchange {
    typealias ResponseState = ExchangeState<DataBuffer, Duration>

    private struct State {
        var response = ResponseState(pauseSize: URLSessionExchange.pauseSize)
        /// The running task; nil before its start and after the end.
        var task: URLSessionDataTask?
        var timer: Task<Void, Never>?
        /// The time at which the session last sent content; nil before that.
        var sent: Duration?
        /// Whether the session has content left to send.
        var isSending: Bool
        var received: Int64 = 0
        /// The `Content-Length` of the response; nil if unknown.
        var announced: Int64?
        var timeToHead: Duration?
        var connection: ConnectionMetrics?

        /// Suspends or resumes the task. Called under the lock to preserve the order of the changes.
        func apply(_ change: ReceptionChange?) {
            #if canImport(Darwin)
                switch change {
                case .paused: task?.suspend()
                case .continued: task?.resume()
                case nil: break
                }
            #endif
        }
    }

    #if canImport(Darwin)
        /// The number of buffered bytes at which the transfer is paused.
        private static let pauseSize = 512 << 10
    #else
        /// The number of buffered bytes at which the exchange fails, because FoundationNetworking can't pause a
        /// transfer: a suspended task starts over.
        private static let pauseSize = 4 << 20
    #endif

    private let url: ResourceURL
    private let limits: TransferLimits
    private let peer: AddressKind
    private let time: any TimeSource
    private let onMetrics: (@Sendable (ExchangeMetrics) -> Void)?
    private let began: Duration
    private let contentLength: Int64
    private let state: Mutex<State>

    init(
        url: ResourceURL, limits: TransferLimits, contentLength: Int64, peer: AddressKind, time: any TimeSource,
        onMetrics: (@Sendable (ExchangeMetrics) -> Void)?
    ) {
        self.url = url
        self.limits = limits
        self.peer = peer
        self.time = time
        self.onMetrics = onMetrics
        self.contentLength = contentLength
        state = Mutex(State(isSending: contentLength > 0))
        began = time.monotonic
    }

    /// Starts the task, and returns when the response head has been received.
    func run(_ task: URLSessionDataTask) async throws -> OriginResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The exchange may already have been cancelled.
                let isWaiting = state.withLock { state in
                    guard state.response.waitForHead(continuation) else { return false }
                    state.task = task
                    state.timer = timer(timeToHead(state)) { $0.expire() }
                    return true
                }
                guard isWaiting else {
                    Self.cancel(task)
                    return continuation.resume(throwing: cancelled)
                }
                task.resume()
            }
        } onCancel: {
            cancel()
        }
    }

    func read(_ continuation: ResponseState.BodyContinuation) {
        let delivery = state.withLock { state in
            let delivery = state.response.read(continuation, at: time.monotonic)
            state.apply(delivery.reception)
            if state.response.waitBegan != nil, state.timer == nil {
                state.timer = timer(limits.stall) { $0.checkForStall() }
            }
            return delivery
        }
        delivery.resume()
    }

    /// Cancels the exchange and discards buffered bytes.
    func cancel() { end(cancelled, droppingBuffers: true) }

    private var cancelled: CacheError {
        CacheError(.cancelled, "the request to \(url.authority) was cancelled")
    }
}

// MARK: Session callbacks

extension URLSessionExchange {
    /// Handles the response head. Returns whether the session continues with the body.
    func receive(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else {
            end(CacheError(.badResponse, "\(url.authority) didn't respond with HTTP; check the URL's scheme and port"))
            return false
        }
        let head = SessionHead(response)
        if head.isDecodedPart {
            end(
                CacheError(
                    .badResponse,
                    "\(url.authority) sent part of a body with a content coding, which can't be decoded; "
                        + "configure the origin to send media without a content coding"))
            return false
        }
        let (continuation, timer) = state.withLock { state -> (ResponseState.HeadContinuation?, Task<Void, Never>?) in
            guard let continuation = state.response.beginBody() else { return (nil, nil) }
            state.announced = head.bodyLength
            state.timeToHead = time.monotonic - began
            defer { state.timer = nil }
            return (continuation, state.timer)
        }
        timer?.cancel()
        continuation?.resume(
            returning: OriginResponse(
                status: response.statusCode, headerFields: head.fields, peer: peer, body: ExchangeBody(self)))
        return continuation != nil
    }

    /// Handles the progress of sending the content, with the number of bytes sent so far.
    func didSend(_ count: Int64) {
        let previous = state.withLock { state -> Task<Void, Never>? in
            state.sent = time.monotonic
            guard state.isSending, count >= contentLength else { return nil }
            state.isSending = false
            guard state.response.isWaitingForHead, let previous = state.timer else { return nil }
            state.timer = timer(timeToHead(state)) { $0.expire() }
            return previous
        }
        previous?.cancel()
    }

    /// Passes data to the waiting reader, or buffers it.
    func receive(_ data: Data) {
        guard !data.isEmpty else { return }
        let delivery = state.withLock { state in
            let storing = state.response.store(data.count) { $0.append(DataBuffer(data: data)) }
            if storing == .stored { state.received += Int64(data.count) }
            let delivery = state.response.deliver()
            state.apply(delivery.reception)
            return delivery
        }
        delivery.resume()
        #if !canImport(Darwin)
            // The reader still receives the buffered bytes, and the engine requests the rest again.
            if delivery.reception == .paused {
                end(
                    CacheError(
                        .unreachable, "the connection to \(url.authority) was closed because its reader was too slow"))
            }
        #endif
    }

    /// Handles the end of the task, and reports the metrics.
    func complete(_ error: (any Error)?) {
        let (missing, hadHead, metrics) = state.withLock { state in
            let hadHead = state.timeToHead != nil
            let metrics = ExchangeMetrics(
                url: url, timeToHead: state.timeToHead, duration: time.monotonic - began, bytes: state.received,
                connection: state.connection)
            return (state.announced.map { $0 - state.received } ?? 0, hadHead, metrics)
        }
        if let error {
            end(URLErrorMapper.cacheError(for: error, host: url.authority, hadHead: hadHead))
        } else if !hadHead {
            end(CacheError(.unreachable, "\(url.authority) closed the connection without a response; try again"))
        } else {
            end(missing > 0 ? URLErrorMapper.truncated(host: url.authority, cause: nil) : nil)
        }
        onMetrics?(metrics)
    }

    /// Stops the timer for the response head, because waiting for a network has no limit.
    func waitForConnectivity() {
        let timer = state.withLock { state in
            defer { state.timer = nil }
            return state.timer
        }
        timer?.cancel()
    }

    func setConnection(_ connection: ConnectionMetrics?) {
        state.withLock { $0.connection = connection }
    }
}

// MARK: Completion

extension URLSessionExchange {
    /// Ends the exchange. An exchange that has already ended can only drop its buffers.
    ///
    /// - Parameters:
    ///   - error: The error for the tasks that wait for the head or the body; nil at the end of the body.
    ///   - isDue: Returns whether to end the exchange. Called under the lock.
    private func end(
        _ error: (any Error)?, droppingBuffers: Bool = false, if isDue: (inout State) -> Bool = { _ in true }
    ) {
        typealias Ending = (response: ResponseState.Ending, task: URLSessionDataTask?, timer: Task<Void, Never>?)
        let ending = state.withLock { state -> Ending? in
            guard isDue(&state) else { return nil }
            defer { (state.task, state.timer) = (nil, nil) }
            return (state.response.end(error, droppingBuffers: droppingBuffers), state.task, state.timer)
        }
        guard let ending else { return }
        ending.timer?.cancel()
        if error != nil { ending.task.map(Self.cancel) }
        ending.response.resume()
    }

    private static func cancel(_ task: URLSessionDataTask) {
        #if canImport(Darwin)
            task.cancel()
        #else
            // `cancel()` waits for the thread that reads connections, which may be waiting for this thread.
            DispatchQueue.global().async { task.cancel() }
        #endif
    }

    private func timer(
        _ delay: Duration, _ action: @escaping @Sendable (URLSessionExchange) -> Void
    ) -> Task<Void, Never> {
        Task { [weak self, time] in
            guard (try? await time.sleep(for: delay)) != nil, let self else { return }
            action(self)
        }
    }

    /// Returns the time left for the response head or, while content is being sent, for its next byte.
    private func timeToHead(_ state: State) -> Duration {
        let limit = state.isSending ? limits.stall : limits.firstByte
        guard let sent = state.sent else { return began + limits.connect + limit - time.monotonic }
        return sent + limit - time.monotonic
    }

    /// Ends the exchange if no time is left for the response head, and otherwise restarts the timer. Does nothing after
    /// the head has been received.
    private func expire() {
        let error = CacheError(
            .timedOut, "\(url.authority) didn't respond in time; check the address and the network, or raise the limit")
        end(error) { state in
            guard state.response.isWaitingForHead else { return false }
            let left = timeToHead(state)
            guard left > .zero else { return true }
            state.timer = timer(left) { $0.expire() }
            return false
        }
    }

    /// Ends the exchange if the reader has waited for the stall limit. Restarts the timer if the reader has waited for
    /// less. If the reader isn't waiting, the next wait starts the timer.
    private func checkForStall() {
        end(CacheError(.timedOut, "\(url.authority) stalled: it sent no data for \(limits.stall)")) { state in
            state.timer = nil
            guard let start = state.response.waitBegan else { return false }
            let left = start + limits.stall - time.monotonic
            guard left > .zero else { return true }
            state.timer = timer(left) { $0.checkForStall() }
            return false
        }
    }
}

/// A buffer of received bytes, without a copy of the session's data.
struct DataBuffer: OriginBuffer {
    let data: Data

    var count: Int { data.count }

    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try data.withUnsafeBytes(body)
    }
}
