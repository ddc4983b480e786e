import Foundation
import HTTPTypes
import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its response. The session's delegate tells it what comes; one reader takes it from here.
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
        /// Since when the reader has been waiting.
        var asked: Duration?
        var buffers: [Data] = []
        var bufferedBytes = 0
        var isPaused = false
        var received: Int64 = 0
        /// How long the body is to be, where that is told.
        var announced: Int64?
        var timeToHead: Duration?
        var connection: ConnectionMetrics?
    }

    #if canImport(Darwin)
        /// With as many bytes waiting the transfer is paused; with half of them it goes on.
        private static let highWater = 512 << 10
    #else
        /// With as many bytes waiting the exchange ends: FoundationNetworking can't pause one, a suspended task begins anew.
        private static let highWater = 4 << 20
    #endif

    private let url: ResourceURL
    private let limits: TransferLimits
    private let peer: AddressKind
    private let time: any TimeSource
    private let onMetrics: (@Sendable (ExchangeMetrics) -> Void)?
    private let began: Duration
    private let state = Mutex(State())

    init(
        url: ResourceURL, limits: TransferLimits, peer: AddressKind, time: any TimeSource,
        onMetrics: (@Sendable (ExchangeMetrics) -> Void)?
    ) {
        self.url = url
        self.limits = limits
        self.peer = peer
        self.time = time
        self.onMetrics = onMetrics
        began = time.monotonic
    }

    /// Starts the task and waits for the response's head.
    func run(_ task: URLSessionDataTask) async throws -> OriginResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    // Cancellation may have come first.
                    if case .ended = state.phase { return true }
                    state.task = task
                    state.head = continuation
                    state.timer = timer(limits.connect + limits.firstByte) { $0.expire() }
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

    /// Gives `continuation` the next buffer as soon as there is one.
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
                    // Under the lock, here and below, so that the last that was decided is the last that is done.
                    state.task?.resume()
                }
                return .deliver(data)
            }
            if case .ended(let error) = state.phase { return .end(error) }
            state.reader = continuation
            state.asked = time.monotonic
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

    /// Closes the exchange, if it still runs.
    func cancel() { end(cancelled, dropsBuffers: true) }

    private var cancelled: CacheError {
        CacheError(.cancelled, "the request to \(url.authority) was cancelled")
    }
}

// MARK: What the session tells

extension URLSessionExchange {
    /// - Returns: whether the body is wanted.
    func receive(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else {
            end(CacheError(.badResponse, "\(url.authority) sent what isn't HTTP"))
            return false
        }
        let head = SessionHead(response)
        if head.isDecodedPart {
            end(
                CacheError(
                    .badResponse,
                    "\(url.authority) sent a part in a content coding, which the system decodes and can't; "
                        + "have it send media as it is"))
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

    func receive(_ data: Data) {
        guard !data.isEmpty else { return }
        let (reader, isTooMuch) = state.withLock { state -> (BodyContinuation?, Bool) in
            if case .ended = state.phase { return (nil, false) }
            state.received += Int64(data.count)
            state.asked = nil
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
        // What is here is still read; for the rest the engine asks again.
        if isTooMuch {
            end(
                CacheError(
                    .unreachable, "the connection to \(url.authority) was closed, since nobody wanted more for now"))
        }
    }

    func complete(_ error: (any Error)?) {
        let (missing, hadHead, metrics) = state.withLock { state in
            let hadHead = state.timeToHead != nil
            let metrics = ExchangeMetrics(
                url: url, timeToHead: state.timeToHead, duration: time.monotonic - began, bytes: state.received,
                connection: state.connection)
            return (state.announced.map { $0 - state.received } ?? 0, hadHead, metrics)
        }
        if let error {
            end(SessionFailure.cacheError(for: error, host: url.authority, hadHead: hadHead))
        } else if !hadHead {
            end(CacheError(.unreachable, "\(url.authority) closed the connection without an answer; try again"))
        } else {
            end(missing > 0 ? SessionFailure.truncated(host: url.authority, cause: nil) : nil)
        }
        onMetrics?(metrics)
    }

    /// There is no network, and the request waits for one: without a limit.
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

// MARK: Its end

extension URLSessionExchange {
    /// - Parameter isDue: what decides, in the same moment, whether it's to end.
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
                // The end of what was dropped must not look like the end of the body.
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
            // It waits for the thread that reads connections, which may be waiting for who is here.
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

    private func expire() {
        let error = CacheError(
            .timedOut,
            "\(url.authority) didn't answer within \(limits.connect + limits.firstByte); "
                + "check the address and the network, or raise the limit")
        end(error) { state in
            if case .waitingForHead = state.phase { true } else { false }
        }
    }

    /// One timer looks after all waits of a body.
    private func checkForStall() {
        end(CacheError(.timedOut, "\(url.authority) stalled: no byte for \(limits.stall) in mid-body")) { state in
            state.timer = nil
            guard case .body = state.phase, let asked = state.asked else { return false }
            let left = asked + limits.stall - time.monotonic
            guard left > .zero else { return true }
            state.timer = timer(left) { $0.checkForStall() }
            return false
        }
    }
}
