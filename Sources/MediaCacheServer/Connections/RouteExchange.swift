import HTTPTypes
import Logging
import MediaCacheAPI
import NIOCore
import NIOHTTP1

/// The handling of one request, confined to the event loop of its connection.
protocol Exchange: AnyObject {
    /// Starts the exchange, which ends by finishing or aborting its writer.
    func start()
    func writabilityChanged()
    /// Ends the exchange when the connection has closed.
    func cancel()
}

/// An exchange that runs a ``Route`` in a task and writes its response.
final class RouteExchange: Exchange {
    private let call: RouteCall
    fileprivate let writer: ResponseWriter
    private let logger: Logger
    private var task: Task<Void, Never>?

    init(call: RouteCall, writer: ResponseWriter, logger: Logger) {
        self.call = call
        self.writer = writer
        self.logger = logger
    }

    func start() {
        let loop = writer.eventLoop
        let run = RouteRun(call: call, exchange: NIOLoopBound(self, eventLoop: loop), loop: loop, logger: logger)
        task = Task { await run() }
    }

    func writabilityChanged() {}

    func cancel() {
        task?.cancel()
        task = nil
    }

    fileprivate func write(_ response: RouteResponse, _ bytes: [UInt8]) {
        guard writer.channel.isActive else { return }
        writeHead(response, contentLength: Int64(bytes.count))
        writer.writeBody(ByteBuffer(bytes: bytes))
        writer.finish()
    }

    fileprivate func beginStream(_ response: RouteResponse) {
        writeHead(response, contentLength: nil)
        writer.flush()
    }

    private func writeHead(_ response: RouteResponse, contentLength: Int64?) {
        let headers = HTTPHeaders(response.headerFields.map { ($0.name.rawName, $0.value) })
        writer.writeHead(HTTPResponseStatus(statusCode: response.status), headers, contentLength: contentLength)
    }
}

/// The part of a ``RouteExchange`` that runs outside its event loop.
private struct RouteRun: Sendable {
    let call: RouteCall
    let exchange: NIOLoopBound<RouteExchange>
    let loop: any EventLoop
    let logger: Logger

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
            let failure = ErrorResponse(error)
            let problem = failure.problem
            // Only unexpected errors are logged.
            if problem.code == Problem.internalCode {
                logger.warning("\(call.request.method) \(call.request.path): \(problem.detail)")
            }
            return RouteResponse(status: problem.status, headerFields: failure.headerFields, body: .bytes(problem.json))
        }
    }

    /// Writes each buffer after the socket has accepted the previous one.
    private func write(_ stream: AsyncThrowingStream<[UInt8], any Error>, of response: RouteResponse) async {
        loop.execute { exchange.value.beginStream(response) }
        var isComplete = true
        do {
            for try await bytes in stream {
                try await loop.flatSubmit { exchange.value.writer.writeAndFlush(ByteBuffer(bytes: bytes)) }.get()
            }
            try Task.checkCancellation()
        } catch {
            isComplete = false
        }
        loop.execute { [isComplete] in
            let writer = exchange.value.writer
            if isComplete { writer.finish() } else { writer.abort() }
        }
    }
}
