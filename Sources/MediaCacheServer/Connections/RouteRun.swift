import HTTPTypes
import Logging
import MediaCacheAPI
import NIOCore

/// The part of a ``RouteExchange`` that runs beside its event loop.
struct RouteRun: Sendable {
    let call: RouteCall
    let exchange: NIOLoopBound<RouteExchange>
    let loop: any EventLoop
    let logger: Logger

    /// Asks the route, and has what it gives written.
    func callAsFunction() async {
        let response = await respond()
        switch response.body {
        case .bytes(let bytes): loop.execute { exchange.value.write(response, bytes) }
        case .stream(let stream): await write(stream, of: response)
        }
    }

    private func respond() async -> RouteResponse {
        do {
            return try await call.response()
        } catch {
            let problem = Problem(error)
            // All others are the caller's to tell.
            if problem.code == Problem.internalCode {
                logger.warning("\(call.request.method) \(call.request.path): \(problem.detail)")
            }
            return .problem(problem)
        }
    }

    /// Each buffer is written when the client has taken the one before.
    private func write(_ stream: AsyncThrowingStream<[UInt8], any Error>, of response: RouteResponse) async {
        loop.execute { exchange.value.beginStream(response) }
        var isComplete = true
        do {
            for try await bytes in stream {
                try await loop.flatSubmit { exchange.value.write(bytes) }.get()
            }
            try Task.checkCancellation()
        } catch {
            isComplete = false
        }
        loop.execute { [isComplete] in exchange.value.endStream(isComplete: isComplete) }
    }
}
