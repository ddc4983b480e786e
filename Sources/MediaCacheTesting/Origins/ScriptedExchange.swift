import MediaCache
import Synchronization

/// A running exchange. It returns the body step by step and reports its progress to the origin.
final class ScriptedExchange: Sendable {
    enum Step {
        case bytes([UInt8])
        case wait(ScriptedGate)
        /// The end of the body, which is truncated if more bytes were announced.
        case end(isTruncated: Bool)
        case reset
    }

    private struct State {
        var body: ScriptedBody
        var sent: Int64 = 0
        var nextMark = 0
        var isOver = false
    }

    let reply: ScriptedReply
    let number: Int
    let url: ResourceURL
    private let origin: ScriptedOrigin
    private let state: Mutex<State>

    init(reply: ScriptedReply, number: Int, url: ResourceURL, origin: ScriptedOrigin) {
        (self.reply, self.number, self.url, self.origin) = (reply, number, url, origin)
        state = Mutex(State(body: reply.body))
    }

    func step() -> Step {
        var replacement: ScriptedResource?
        let step = state.withLock { advance(&$0, replacement: &replacement) }
        if let replacement { origin[url] = replacement }
        switch step {
        case .bytes(let bytes): origin.didHandOver(bytes.count, request: number)
        case .wait: break
        case .end(let isTruncated): finish(isTruncated ? .broken : .complete)
        case .reset: finish(.broken)
        }
        return step
    }

    /// Reports the end of the exchange. Only the first call has an effect.
    func finish(_ progress: ScriptedRequest.Progress) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        if isFirst { origin.didEnd(progress, request: number) }
    }

    private func advance(_ state: inout State, replacement: inout ScriptedResource?) -> Step {
        while state.nextMark < reply.marks.count, reply.marks[state.nextMark].position <= state.sent {
            switch reply.marks[state.nextMark].mark {
            case .wait(let gate):
                if !gate.isOpen { return .wait(gate) }
            case .reset:
                return .reset
            case .replace(let resource, let tearsBody):
                replacement = resource
                if tearsBody { state.body = resource.body }
            }
            state.nextMark += 1
        }
        let position = reply.range.lowerBound + state.sent
        guard position < reply.range.upperBound else { return .end(isTruncated: reply.isTruncated) }
        var end = min(reply.range.upperBound, position + Int64(reply.bufferSize))
        if state.nextMark < reply.marks.count {
            end = min(end, reply.range.lowerBound + reply.marks[state.nextMark].position)
        }
        state.sent += end - position
        return .bytes(state.body.bytes(in: position..<end))
    }
}

/// The body of an in-process response.
final class ScriptedOriginBody: OriginBody {
    private struct State {
        var isCancelled = false
        var isAtEnd = false
        var wait: ScriptedWait?
    }

    private let exchange: ScriptedExchange
    private let limits: TransferLimits
    private let time: (any TimeSource)?
    private let state = Mutex(State())

    init(exchange: ScriptedExchange, limits: TransferLimits, time: (any TimeSource)?) {
        (self.exchange, self.limits, self.time) = (exchange, limits, time)
    }

    deinit { exchange.finish(.cancelled) }

    func next() async throws -> (any OriginBuffer)? {
        while true {
            if Task.isCancelled { cancel() }
            let (isCancelled, isAtEnd) = state.withLock { ($0.isCancelled, $0.isAtEnd) }
            if isCancelled { throw CacheError(.cancelled, "reading \(exchange.url) was cancelled") }
            if isAtEnd { return nil }
            switch exchange.step() {
            case .bytes(let bytes):
                return bytes
            case .wait(let gate):
                try await wait(at: gate)
            case .end(isTruncated: true):
                throw CacheError(
                    .badResponse, "\(exchange.url.authority) closed the connection before the body's announced length")
            case .end(isTruncated: false):
                state.withLock { $0.isAtEnd = true }
                return nil
            case .reset:
                throw CacheError(
                    .unreachable, "\(exchange.url.authority) reset the connection during the response body")
            }
        }
    }

    func cancel() {
        let wait = state.withLock { state in
            state.isCancelled = true
            return state.wait
        }
        wait?.end(.cancelled)
        exchange.finish(.cancelled)
    }

    private func wait(at gate: ScriptedGate) async throws {
        let wait = ScriptedWait()
        let isCancelled = state.withLock { state in
            state.wait = wait
            return state.isCancelled
        }
        if isCancelled { wait.end(.cancelled) }
        let outcome = await wait.run(gate: gate, limit: limits.stall, time: time)
        state.withLock { $0.wait = nil }
        switch outcome {
        case .opened: break
        case .cancelled: cancel()
        case .timedOut:
            exchange.finish(.cancelled)
            throw CacheError(.timedOut, "\(exchange.url.authority) sent nothing for \(limits.stall)")
        }
    }
}
