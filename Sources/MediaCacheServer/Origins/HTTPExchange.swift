import AsyncHTTPClient
import HTTPTypes
import MediaCache
import NIOCore
import NIOHTTP1
import Synchronization

/// A request and its response, shared by the client's event loop and the task that reads.
///
/// At most one large buffer waits for the reader. The client reads from the socket again when the buffer is consumed,
/// or as long as few bytes are waiting. The exchange has its own time limits, since the client's would include the
/// pauses of the reader.
final class HTTPExchange: HTTPClientResponseDelegate, ReadableExchange {
    typealias Response = Void
    typealias HeadContinuation = CheckedContinuation<OriginResponse, any Error>
    typealias BodyContinuation = CheckedContinuation<(any OriginBuffer)?, any Error>

    private enum Phase {
        case connecting
        case waitingForHead
        case body
        /// The response has ended or failed. Buffers may still wait for the reader.
        case ended((any Error)?)
    }

    private struct State {
        var phase = Phase.connecting
        var task: HTTPClient.Task<Void>?
        var timer: Scheduled<Void>?
        var head: HeadContinuation?
        var reader: BodyContinuation?
        /// The time at which the reader started to wait.
        var waitingSince: NIODeadline?
        var buffers = CircularBuffer<ByteBuffer>()
        var bufferedBytes = 0
        /// The promise whose completion lets the HTTP client continue reading; nil if it isn't paused.
        var demand: EventLoopPromise<Void>?
    }

    /// The number of waiting bytes below which the client reads on, so that small reads are combined.
    private static let lowWater = 256 << 10

    private let url: ResourceURL
    private let limits: TransferLimits
    private let proxy: UpstreamProxy?
    private let state = Mutex(State())

    init(url: ResourceURL, limits: TransferLimits, proxy: UpstreamProxy?) {
        self.url = url
        self.limits = limits
        self.proxy = proxy
    }

    /// Starts the request and returns when the head of the response has arrived.
    func run(_ start: (HTTPExchange) -> HTTPClient.Task<Void>) async throws -> OriginResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    // The exchange may already have been cancelled.
                    if case .ended = state.phase { return true }
                    state.head = continuation
                    return false
                }
                if isOver { return continuation.resume(throwing: cancelled) }
                attach(start(self))
            }
        } onCancel: {
            cancel()
        }
    }

    /// Resumes `continuation` with the next buffer when it is available.
    func read(_ continuation: BodyContinuation) {
        enum Outcome {
            case deliver(ByteBuffer, EventLoopPromise<Void>?)
            case end((any Error)?)
            case wait((any EventLoop)?)
        }
        let outcome = state.withLock { state -> Outcome in
            if let buffer = state.buffers.popFirst() {
                state.bufferedBytes -= buffer.readableBytes
                guard state.bufferedBytes < Self.lowWater else { return .deliver(buffer, nil) }
                defer { state.demand = nil }
                return .deliver(buffer, state.demand)
            }
            if case .ended(let error) = state.phase { return .end(error) }
            state.reader = continuation
            state.waitingSince = .now()
            return .wait(state.timer == nil ? state.task?.eventLoop : nil)
        }
        switch outcome {
        case .deliver(let buffer, let demand):
            demand?.succeed()
            continuation.resume(returning: NIOOriginBuffer(buffer: buffer))
        case .end(let error):
            if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: nil) }
        case .wait(let eventLoop):
            if let eventLoop { watchForStall(on: eventLoop, after: limits.stall) }
        }
    }

    /// Closes the exchange if it is still running.
    func cancel() {
        end(cancelled, dropsBuffers: true)
    }

    private var cancelled: CacheError {
        CacheError(.cancelled, "the request to \(url.authority) was cancelled")
    }

    private func attach(_ task: HTTPClient.Task<Void>) {
        task.futureResult.whenFailure { self.end($0) }
        let timer = task.eventLoop.scheduleTask(in: TimeAmount(limits.connect)) {
            self.expire(.connecting, "connecting to \(self.url.authority) took longer than \(self.limits.connect)")
        }
        let unused = state.withLock { state -> (Scheduled<Void>, HTTPClient.Task<Void>?)? in
            switch state.phase {
            case .connecting:
                state.task = task
                state.timer = timer
                return nil
            case .waitingForHead, .body:
                return (timer, nil)
            case .ended:
                return (timer, task)
            }
        }
        unused?.0.cancel()
        unused?.1?.cancel()
    }
}

extension HTTPExchange {
    func didSendRequest(task: HTTPClient.Task<Void>) {
        let timer = task.eventLoop.scheduleTask(in: TimeAmount(limits.firstByte)) {
            self.expire(.waitingForHead, "\(self.url.authority) didn't respond within \(self.limits.firstByte)")
        }
        let old = state.withLock { state -> Scheduled<Void>? in
            guard case .connecting = state.phase else { return timer }
            state.phase = .waitingForHead
            state.task = task
            defer { state.timer = timer }
            return state.timer
        }
        old?.cancel()
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let (continuation, timer) = state.withLock { state -> (HeadContinuation?, Scheduled<Void>?) in
            if case .ended = state.phase { return (nil, nil) }
            state.phase = .body
            state.task = task
            defer {
                state.head = nil
                state.timer = nil
            }
            return (state.head, state.timer)
        }
        timer?.cancel()
        continuation?.resume(
            returning: OriginResponse(
                status: Int(head.status.code),
                headerFields: HTTPFields(received: head.headers),
                peer: OriginConnectionHandler.peer(of: head.headers),
                body: ExchangeBody(self)
            ))
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        guard buffer.readableBytes > 0 else { return task.eventLoop.makeSucceededVoidFuture() }
        let (reader, demand) = state.withLock { state -> (BodyContinuation?, EventLoopPromise<Void>?) in
            if case .ended = state.phase { return (nil, nil) }
            state.waitingSince = nil
            if let reader = state.reader {
                state.reader = nil
                return (reader, nil)
            }
            state.buffers.append(buffer)
            state.bufferedBytes += buffer.readableBytes
            if state.bufferedBytes >= Self.lowWater { state.demand = task.eventLoop.makePromise() }
            return (nil, state.demand)
        }
        reader?.resume(returning: NIOOriginBuffer(buffer: buffer))
        return demand?.futureResult ?? task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        end(nil)
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        end(error)
    }
}

extension HTTPExchange {
    private func end(_ error: (any Error)?, dropsBuffers: Bool = false) {
        struct Ending {
            var error: (any Error)?
            var state: State
        }
        let ending = state.withLock { state -> Ending? in
            if dropsBuffers {
                state.buffers.removeAll()
                state.bufferedBytes = 0
            }
            var hadHead = false
            switch state.phase {
            case .ended:
                // Otherwise the end of the dropped bytes would look like the end of the body.
                if dropsBuffers { state.phase = .ended(error) }
                return nil
            case .body: hadHead = true
            case .connecting, .waitingForHead: break
            }
            let mapped = error.map {
                HTTPClientErrorMapper.cacheError(for: $0, url: url, hadHead: hadHead, proxy: proxy)
            }
            let ending = Ending(error: mapped, state: state)
            state.phase = .ended(mapped)
            state.timer = nil
            state.head = nil
            state.reader = nil
            state.demand = nil
            state.task = nil
            return ending
        }
        guard let ending else { return }
        ending.state.timer?.cancel()
        // Fulfilled even now, because the client waits for it before it releases the request.
        ending.state.demand?.succeed()
        if let error = ending.error {
            ending.state.task?.fail(reason: error)
            ending.state.head?.resume(throwing: error)
            ending.state.reader?.resume(throwing: error)
        } else {
            ending.state.reader?.resume(returning: nil)
        }
    }

    private enum Limit {
        case connecting
        case waitingForHead
    }

    private func expire(_ limit: Limit, _ message: String) {
        let isOver = state.withLock { state in
            switch (state.phase, limit) {
            case (.connecting, .connecting), (.waitingForHead, .waitingForHead): true
            default: false
            }
        }
        if isOver { end(CacheError(.timedOut, "\(message); check the address and the network, or raise the limit")) }
    }

    /// Watches all waits of a body with one timer. A timer for each wait would wake the event loop for every buffer.
    private func watchForStall(on eventLoop: any EventLoop, after delay: Duration) {
        let timer = eventLoop.scheduleTask(in: TimeAmount(delay)) { self.checkForStall(on: eventLoop) }
        let isNeeded = state.withLock { state in
            guard case .body = state.phase, state.timer == nil else { return false }
            state.timer = timer
            return true
        }
        if !isNeeded { timer.cancel() }
    }

    private func checkForStall(on eventLoop: any EventLoop) {
        let waitingSince = state.withLock { state in
            state.timer = nil
            return state.waitingSince
        }
        guard let waitingSince else { return }
        let left = waitingSince + TimeAmount(limits.stall) - .now()
        if left <= .zero {
            end(CacheError(.timedOut, "\(url.authority) stalled: no byte for \(limits.stall) during the response body"))
        } else {
            watchForStall(on: eventLoop, after: .nanoseconds(left.nanoseconds))
        }
    }
}
