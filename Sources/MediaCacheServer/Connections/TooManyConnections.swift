import HTTPTypes
import MediaCacheAPI
import NIOCore

/// Tells a client that the server has as many connections as it takes, and closes.
final class TooManyConnections: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        // Nothing has been asked yet, so that there is no request to write a response to.
        let problem = Problem.tooManyConnections
        let body = problem.json
        let fields = problem.headerFields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let head =
            "HTTP/1.1 503 Service Unavailable\r\n\(fields)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        var answer = ByteBuffer(string: head)
        answer.writeBytes(body)
        context.writeAndFlush(wrapOutboundOut(answer), promise: written)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
