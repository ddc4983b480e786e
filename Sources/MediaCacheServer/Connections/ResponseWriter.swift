import Foundation
import HTTPTypes
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOHTTP1
import Synchronization

/// The writer of one response. It chooses the framing by the body's length and the client's HTTP version (RFC 9112 §6),
/// and is confined to one event loop.
final class ResponseWriter {
    private enum State {
        case waiting
        case body
        case finished
    }

    let request: HTTPRequestHead
    private let context: ChannelHandlerContext
    /// The handler of the connection. It releases the writer when the response or the connection ends. It is informed
    /// before the end is written, which may deliver the next pipelined request immediately, and again afterwards.
    private let owner: RequestHandler
    private let kind: RouteKind
    let supportsFileRegions: Bool
    private var state = State.waiting
    private var keepsAlive: Bool
    private var status = 0
    private var bytesWritten: Int64 = 0
    /// The number of announced bytes that haven't been written; nil if no length was announced.
    private var remaining: Int64?
    private var endsByClosing = false

    init(
        request: HTTPRequestHead, keepsAlive: Bool, kind: RouteKind, supportsFileRegions: Bool,
        context: ChannelHandlerContext, owner: RequestHandler
    ) {
        self.request = request
        self.keepsAlive = keepsAlive
        self.context = context
        self.kind = kind
        self.supportsFileRegions = supportsFileRegions
        self.owner = owner
    }

    var hasSentHead: Bool { state != .waiting }
    var isFinished: Bool { state == .finished }
    var isWritable: Bool { context.channel.isWritable }
    var eventLoop: any EventLoop { context.eventLoop }
    var channel: any Channel { context.channel }

    func closeAfterwards() { keepsAlive = false }

    /// Writes the head, without flushing it.
    ///
    /// - Parameter contentLength: The length of the body; nil if unknown.
    func writeHead(_ status: HTTPResponseStatus, _ fields: HTTPHeaders, contentLength: Int64?) {
        guard state == .waiting else { return }
        state = .body
        self.status = Int(status.code)
        var headers = fields
        let hasBody = request.method != .HEAD && status.mayHaveResponseBody
        if let contentLength {
            if status.mayHaveResponseBody { headers.add(name: "Content-Length", value: "\(contentLength)") }
            remaining = hasBody ? contentLength : 0
        } else if hasBody {
            if request.version != .http1_0 {
                headers.add(name: "Transfer-Encoding", value: "chunked")
            } else {
                endsByClosing = true
                keepsAlive = false
            }
        } else {
            remaining = 0
        }
        if !headers.contains(name: "X-Content-Type-Options") {
            headers.add(name: "X-Content-Type-Options", value: "nosniff")
        }
        headers.add(name: "Date", value: DateHeader.current)
        if !keepsAlive {
            headers.add(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            headers.add(name: "Connection", value: "keep-alive")
        }
        let version: HTTPVersion = request.version == .http1_0 ? .http1_0 : .http1_1
        write(.head(HTTPResponseHead(version: version, status: status, headers: headers)))
    }

    /// Writes a part of the body, without flushing it. If the response can't have a body, discards it.
    func writeBody(_ buffer: ByteBuffer) {
        guard state == .body, buffer.readableBytes > 0 else { return }
        if let left = remaining {
            guard left > 0 else { return }
            guard left >= Int64(buffer.readableBytes) else { return abort() }
            remaining = left - Int64(buffer.readableBytes)
        }
        bytesWritten += Int64(buffer.readableBytes)
        write(.body(.byteBuffer(buffer)))
    }

    /// Writes a file region as a part of the body, without flushing it.
    ///
    /// - Returns: A future that succeeds when the socket has accepted all bytes.
    func writeBody(_ region: FileRegion) -> EventLoopFuture<Void> {
        guard state == .body, remaining.map({ $0 >= Int64(region.readableBytes) }) ?? true else {
            abort()
            return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
        }
        if let left = remaining { remaining = left - Int64(region.readableBytes) }
        bytesWritten += Int64(region.readableBytes)
        let written = eventLoop.makePromise(of: Void.self)
        context.write(wrap(.body(.fileRegion(region))), promise: written)
        return written.futureResult
    }

    func flush() {
        guard state == .body else { return }
        context.flush()
    }

    /// Writes and flushes a part of the body.
    ///
    /// - Returns: A future that succeeds when the socket has accepted all bytes.
    func writeAndFlush(_ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        guard state == .body else { return eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel) }
        // The response to HEAD has no body.
        guard remaining == nil else { return eventLoop.makeSucceededVoidFuture() }
        let written = eventLoop.makePromise(of: Void.self)
        bytesWritten += Int64(buffer.readableBytes)
        context.writeAndFlush(wrap(.body(.byteBuffer(buffer))), promise: written)
        return written.futureResult
    }

    /// Ends the response. If it is shorter than announced, closes the connection instead.
    func finish() {
        guard state == .body else { return }
        if let remaining, remaining > 0 { return abort() }
        end()
        defer { owner.responseDidEnd() }
        guard !keepsAlive else { return context.writeAndFlush(wrap(.end(nil)), promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in channel.close(promise: nil) }
        context.writeAndFlush(wrap(.end(nil)), promise: written)
    }

    /// Closes the connection without ending the response, so that the client detects the truncation.
    func abort() {
        guard state != .finished else { return }
        end()
        defer { owner.responseDidEnd() }
        if endsByClosing {
            // An orderly close would look like the end of the body; a reset is recognized as an error.
            let channel = context.channel
            guard let socket = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
            return
        }
        context.close(promise: nil)
    }

    func connectionClosed() {
        guard state != .finished else { return }
        end()
        owner.responseDidEnd()
    }

    private func end() {
        state = .finished
        owner.responseWillEnd(kind, status: status, bytes: bytesWritten)
    }

    private func write(_ part: HTTPServerResponsePart) { context.write(wrap(part), promise: nil) }

    private func wrap(_ part: HTTPServerResponsePart) -> NIOAny { NIOAny(part) }
}

extension ResponseWriter {
    /// Writes an error response.
    ///
    /// - Parameter isAdmitted: Whether the path contains a valid token; nil for a response without protective header
    ///   fields. If false, the response's detail contains no URLs.
    func writeError(_ error: ErrorResponse, isAdmitted: Bool? = nil) {
        let problem = isAdmitted == false ? error.problem.withoutURLs : error.problem
        var fields = HTTPHeaders()
        if let isAdmitted { PlayHeaders.addProtection(to: &fields, isAdmitted: isAdmitted) }
        for field in error.headerFields { fields.add(name: field.name.rawName, value: field.value) }
        let body = problem.json
        writeHead(HTTPResponseStatus(statusCode: problem.status), fields, contentLength: Int64(body.count))
        writeBody(ByteBuffer(bytes: body))
        finish()
    }
}

/// The `Date` field (RFC 9110 §6.6.1), formatted once a second.
private enum DateHeader {
    private static let cached = Mutex<(second: Int64, text: String)>((-1, ""))

    static var current: String {
        let second = Int64(time(nil))
        return cached.withLock { cached in
            if cached.second != second { cached = (second, HTTPDate.format(second)) }
            return cached.text
        }
    }
}
