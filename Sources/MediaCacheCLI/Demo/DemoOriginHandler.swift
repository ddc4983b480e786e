import MediaCache
import MediaCacheServer
import NIOCore
import NIOHTTP1
import Synchronization

/// The handler of a connection to the demo's origin. It responds to GET and HEAD requests for the clip or a range of
/// it.
final class DemoOriginHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: DemoOriginState
    private var rest: Range<Int>?
    private var timer: RepeatedTask?

    init(state: DemoOriginState) {
        self.state = state
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // The pipeline delays the next request until the end of this response.
        if case .head(let request) = unwrapInboundIn(data) { respond(to: request, context: context) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func respond(to request: HTTPRequestHead, context: ChannelHandlerContext) {
        let path = request.uri.prefix { $0 != "?" }
        guard path == DemoOriginState.clipPath else {
            return reject(.notFound, context: context)
        }
        guard request.method == .GET || request.method == .HEAD else {
            return reject(.methodNotAllowed, extra: [("Allow", "GET, HEAD")], context: context)
        }
        state.counts.withLock { $0.requests += 1 }
        if request.headers.first(name: "If-None-Match") == state.entityTag {
            return reject(.notModified, extra: [("ETag", state.entityTag)], context: context)
        }
        let length = state.clip.readableBytes
        // If If-Range doesn't match, the whole clip is sent (RFC 9110 §13.1.5).
        let isSameRepresentation = request.headers.first(name: "If-Range").map { $0 == state.entityTag } ?? true
        var range = 0..<length
        var fields = HTTPHeaders([
            ("Content-Type", "video/mp4"), ("Accept-Ranges", "bytes"), ("ETag", state.entityTag),
        ])
        var status = HTTPResponseStatus.ok
        // A server may ignore a Range field with several ranges and send the whole clip (RFC 9110 §14.2).
        if isSameRepresentation, let header = request.headers.first(name: "Range").flatMap({ RangeHeader($0) }),
            header.unit == "bytes", header.parts.count == 1
        {
            guard let part = header.resolved(in: Int64(length))?.first else {
                return reject(.rangeNotSatisfiable, extra: [("Content-Range", "bytes */\(length)")], context: context)
            }
            range = Int(part.lowerBound)..<Int(part.upperBound)
            status = .partialContent
            fields.add(name: "Content-Range", value: "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
        }
        fields.add(name: "Content-Length", value: "\(range.count)")
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
        if request.method == .HEAD {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            context.flush()
            start(range, context: context)
        }
    }

    private func start(_ range: Range<Int>, context: ChannelHandlerContext) {
        rest = range
        state.counts.withLock { $0.running += 1 }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: DemoOriginState.interval) { _ in
            let (handler, context) = bound.value
            handler.send(context: context)
        }
    }

    private func send(context: ChannelHandlerContext) {
        guard let rest, context.channel.isWritable else { return }
        let count = min(rest.count, state.share())
        let start = state.clip.readerIndex + rest.lowerBound
        if count > 0, let bytes = state.clip.getSlice(at: start, length: count) {
            context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
            state.counts.withLock { $0.bytesSent += Int64(count) }
        }
        let remaining = rest.dropFirst(count)
        self.rest = remaining
        if remaining.isEmpty {
            stop()
            context.write(wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.flush()
    }

    private func stop() {
        timer?.cancel()
        timer = nil
        guard rest != nil else { return }
        rest = nil
        state.counts.withLock { $0.running -= 1 }
    }

    private func reject(
        _ status: HTTPResponseStatus, extra: [(String, String)] = [], context: ChannelHandlerContext
    ) {
        // In a 304, Content-Length would have to be the clip's length (RFC 9110 §8.6).
        let fields = HTTPHeaders(extra + (status == .notModified ? [] : [("Content-Length", "0")]))
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: status, headers: fields))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
