import MediaCache
import Synchronization

/// The content of an in-process response.
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
        self.exchange = exchange
        self.limits = limits
        self.time = time
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
                throw CacheError(.unreachable, "\(exchange.url.authority) reset the connection in mid-body")
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
