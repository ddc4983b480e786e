import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1

/// Answers one request with a ``Route``: runs it in a task, and writes what it gives.
final class RouteExchange: Exchange {
    private let call: RouteCall
    private let writer: ResponseWriter
    private let logger: Logger
    private var task: Task<Void, Never>?

    init(call: RouteCall, writer: ResponseWriter, logger: Logger) {
        self.call = call
        self.writer = writer
        self.logger = logger
    }

    func start() {
        let loop = writer.eventLoop
        let run = RouteRun(
            call: call,
            exchange: NIOLoopBound(self, eventLoop: loop),
            loop: loop,
            logger: logger
        )
        task = Task { await run() }
    }

    func writabilityChanged() {}

    func cancel() {
        task?.cancel()
        task = nil
    }

    /// Writes a whole response.
    func write(_ response: RouteResponse, _ bytes: [UInt8]) {
        guard writer.channel.isActive else { return }
        writeHead(response, contentLength: Int64(bytes.count))
        writer.writeBody(ByteBuffer(bytes: bytes))
        writer.finish()
    }

    /// Writes the head of a response whose body comes bit by bit.
    func beginStream(_ response: RouteResponse) {
        writeHead(response, contentLength: nil)
        writer.flush()
    }

    /// Writes a part of the body; done when the client's system has taken it.
    func write(_ bytes: [UInt8]) -> EventLoopFuture<Void> {
        writer.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Ends the body, or, if it is incomplete, the connection.
    func endStream(isComplete: Bool) {
        if isComplete { writer.finish() } else { writer.abort() }
    }

    private func writeHead(_ response: RouteResponse, contentLength: Int64?) {
        let headers = HTTPHeaders(response.headerFields.map { ($0.name.rawName, $0.value) })
        writer.writeHead(HTTPResponseStatus(statusCode: response.status), headers, contentLength: contentLength)
    }
}
