import HTTPTypes
import MediaCacheAPI
import NIOCore

/// A handler that refuses a connection beyond the limit with 503, and closes it.
final class TooManyConnections: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        // There is no request to respond to yet, so the response is written as text.
        let problem = Problem.tooManyConnections
        let body = problem.json
        let fields = problem.headerFields.map { "\($0.name.rawName): \($0.value)\r\n" }.joined()
        let head =
            "HTTP/1.1 503 Service Unavailable\r\n\(fields)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        var response = ByteBuffer(string: head)
        response.writeBytes(body)
        context.writeAndFlush(wrapOutboundOut(response), promise: written)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
}
