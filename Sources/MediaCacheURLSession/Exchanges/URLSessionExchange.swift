import Foundation
import HTTPTypes
import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A request and its response. The session's delegate delivers the response, and one reader consumes it.
final class URLSessionExchange: ReadableExchange {
    typealias HeadContinuation = CheckedContinuation<OriginResponse, any Error>
    typealias BodyContinuation = CheckedContinuation<(any OriginBuffer)?, any Error>

    private enum Phase {
        case waitingForHead
        case body
        case ended((any Error)?)
    }

    private struct State {
        var phase = Phase.waitingForHead
        var task: URLSessionDataTask?
        var head: HeadContinuation?
        var reader: BodyContinuation?
        var timer: Task<Void, Never>?
        /// The time at which the session last sent content; nil before that.
        var sent: Duration?
        /// Whether the session has content left to send.
        var isSending: Bool
        /// The time when the reader began to wait for data; nil while it isn't waiting.
        var waitingSince: Duration?
        var buffers: [Data] = []
        var bufferedBytes = 0
        var isPaused = false
        var received: Int64 = 0
        /// The `Content-Length` of the response; nil if unknown.
        var announced: Int64?
        var timeToHead: Duration?
        var connection: ConnectionMetrics?
    }

    #if canImport(Darwin)
        /// The number of buffered bytes at which the transfer is paused. It continues at half of that.
        private static let highWater = 512 << 10
    #else
        /// The number of buffered bytes at which the exchange fails, because FoundationNetworking can't pause a
        /// transfer: a suspended task starts over.
        private static let highWater = 4 << 20
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
                let isOver = state.withLock { state in
                    // The exchange may already have been cancelled.
                    if case .ended = state.phase { return true }
                    state.task = task
                    state.head = continuation
                    state.timer = timer(timeToHead(state)) { $0.expire() }
                    return false
                }
                guard !isOver else {
                    Self.cancel(task)
                    return continuation.resume(throwing: cancelled)
                }
                task.resume()
            }
        } onCancel: {
            cancel()
        }
    }

    func read(_ continuation: BodyContinuation) {
        enum Outcome {
            case deliver(Data)
            case end((any Error)?)
            case wait
        }
        let outcome = state.withLock { state -> Outcome in
            if !state.buffers.isEmpty {
                let data = state.buffers.removeFirst()
                state.bufferedBytes -= data.count
                if state.isPaused, state.bufferedBytes <= Self.highWater / 2 {
                    state.isPaused = false
                    // Like `suspend()`, called under the lock to preserve their order.
                    state.task?.resume()
                }
                return .deliver(data)
            }
            if case .ended(let error) = state.phase { return .end(error) }
            state.reader = continuation
            state.waitingSince = time.monotonic
            if state.timer == nil { state.timer = timer(limits.stall) { $0.checkForStall() } }
            return .wait
        }
        switch outcome {
        case .deliver(let data):
            continuation.resume(returning: DataBuffer(data: data))
        case .end(let error?): continuation.resume(throwing: error)
        case .end(nil): continuation.resume(returning: nil)
        case .wait: break
        }
    }

    /// Cancels the exchange and discards buffered bytes.
    func cancel() { end(cancelled, dropsBuffers: true) }

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
        let (continuation, timer) = state.withLock { state -> (HeadContinuation?, Task<Void, Never>?) in
            guard case .waitingForHead = state.phase else { return (nil, nil) }
            state.phase = .body
            state.announced = head.bodyLength
            state.timeToHead = time.monotonic - began
            defer {
                state.head = nil
                state.timer = nil
            }
            return (state.head, state.timer)
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
            guard case .waitingForHead = state.phase, let previous = state.timer else { return nil }
            state.timer = timer(timeToHead(state)) { $0.expire() }
            return previous
        }
        previous?.cancel()
    }

    /// Passes data to the waiting reader, or buffers it.
    func receive(_ data: Data) {
        guard !data.isEmpty else { return }
        let (reader, isFull) = state.withLock { state -> (BodyContinuation?, Bool) in
            if case .ended = state.phase { return (nil, false) }
            state.received += Int64(data.count)
            state.waitingSince = nil
            if let reader = state.reader {
                state.reader = nil
                return (reader, false)
            }
            state.buffers.append(data)
            state.bufferedBytes += data.count
            guard !state.isPaused, state.bufferedBytes >= Self.highWater else { return (nil, false) }
            #if canImport(Darwin)
                state.isPaused = true
                state.task?.suspend()
            #endif
            return (nil, !state.isPaused)
        }
        reader?.resume(returning: DataBuffer(data: data))
        // The reader still receives the buffered bytes, and the engine requests the rest again.
        if isFull {
            end(
                CacheError(
                    .unreachable, "the connection to \(url.authority) was closed because its reader was too slow"))
        }
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
    /// Ends the exchange, with nil at the end of the body. An exchange that has already ended only drops its buffers.
    ///
    /// - Parameter isDue: Returns whether to end the exchange. Called under the lock.
    private func end(
        _ error: (any Error)?, dropsBuffers: Bool = false, if isDue: (inout State) -> Bool = { _ in true }
    ) {
        let ending = state.withLock { state -> State? in
            guard isDue(&state) else { return nil }
            if dropsBuffers {
                state.buffers = []
                state.bufferedBytes = 0
            }
            if case .ended = state.phase {
                // The reader must not mistake discarded buffers for the end of the body.
                if dropsBuffers { state.phase = .ended(error) }
                return nil
            }
            let ending = state
            state.phase = .ended(error)
            state.timer = nil
            state.head = nil
            state.reader = nil
            return ending
        }
        guard let ending else { return }
        ending.timer?.cancel()
        if let error {
            ending.task.map(Self.cancel)
            ending.head?.resume(throwing: error)
            ending.reader?.resume(throwing: error)
        } else {
            ending.reader?.resume(returning: nil)
        }
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

    /// Returns the time left for the response head or, while content is being sent, for the next byte of it.
    private func timeToHead(_ state: State) -> Duration {
        let limit = state.isSending ? limits.stall : limits.firstByte
        guard let sent = state.sent else { return began + limits.connect + limit - time.monotonic }
        return sent + limit - time.monotonic
    }

    /// Ends the exchange if no time is left for the response head. Otherwise, restarts the timer.
    private func expire() {
        let error = CacheError(
            .timedOut, "\(url.authority) didn't respond in time; check the address and the network, or raise the limit")
        end(error) { state in
            guard case .waitingForHead = state.phase else { return false }
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
            guard case .body = state.phase, let start = state.waitingSince else { return false }
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
