import HTTPTypes
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOHTTP1

/// A handler for the requests of one connection, which it processes one after the other: it checks each, finds its
/// route, and closes the connection when necessary.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: ServerContext
    private let clock: ConnectionClock
    private let pieces: PieceBuffers
    /// The request that is being received and has no response yet.
    private var received: ReceivedRequest?
    /// The number of received bytes of the current request's body, stored or discarded.
    private var bodyBytes = 0
    /// Whether the rest of a request that has a response is being discarded.
    private var isDiscarding = false
    private var exchange: (any Exchange)?
    private var writer: ResponseWriter?
    /// The number of responses whose end is being written. Writing an end may deliver the next pipelined request.
    private var endingResponses = 0
    private var isDraining = false
    /// The address at which the connection arrived.
    private var localAddress: String?
    private var hasLocalPeer = false
    private var supportsFileRegions = false
    private let playTargets = PlayTargetCache()
    private let recentHeaders = RecentPlayHeaders()
    /// The most recent host and its verdict. All requests of a connection usually name the same host.
    private var lastHost: (text: String?, verdict: HostVerdict)?

    init(server: ServerContext, clock: ConnectionClock, pieces: PieceBuffers) {
        self.server = server
        self.pieces = pieces
        self.clock = clock
    }

    func channelActive(context: ChannelHandlerContext) {
        localAddress = context.localAddress?.ipAddress
        hasLocalPeer = HostPolicy.isLoopback(context.remoteAddress)
        supportsFileRegions = context.channel is any SocketOptionProvider
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): headArrived(head, context)
        case .body(let buffer): bodyArrived(buffer, context)
        case .end: requestArrived(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { exchange?.writabilityChanged() }

    func channelInactive(context: ChannelHandlerContext) {
        exchange?.cancel()
        exchange = nil
        writer?.connectionClosed()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is DrainConnection else { return context.fireUserInboundEventTriggered(event) }
        isDraining = true
        if let writer { writer.closeAfterwards() } else if received == nil { closeWhenSent(context) }
    }

    /// Closes the connection after all written bytes are sent, unless another request begins before that. Closing it
    /// immediately would discard the unsent end of the last response.
    private func closeWhenSent(_ context: ChannelHandlerContext) {
        let sent = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context.channel), eventLoop: context.eventLoop)
        sent.futureResult.whenComplete { _ in
            let (handler, channel) = bound.value
            if handler.writer == nil, handler.received == nil { channel.close(promise: nil) }
        }
        // An empty buffer that bypasses the HTTP encoder is sent after everything before it.
        guard let first = try? context.pipeline.syncOperations.context(handler: clock) else {
            return sent.succeed(())
        }
        first.writeAndFlush(NIOAny(IOData.byteBuffer(ByteBuffer())), promise: sent)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Closing a connection in the middle of a request makes the parser report an error.
        guard let error = error as? HTTPParserError, writer == nil, !isDiscarding, context.channel.isActive else {
            return context.close(promise: nil)
        }
        // The end of this request is unknown, so the connection can't be used for another.
        let request = received?.head ?? HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        let (title, status, detail) =
            error == .headerOverflow
            ? ("Header section too large", 431, "the header section exceeds this server's limit")
            : ("Bad request", 400, "the request isn't valid HTTP/1.1: \(error)")
        let problem = Problem(title: title, status: status, detail: detail, code: "malformedRequest")
        makeWriter(request, keepsAlive: false, context).writeError(ErrorResponse(problem))
    }

    // MARK: - Receiving

    private func headArrived(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        clock.headArrived()
        bodyBytes = 0
        isDiscarding = false
        let gate = RequestGate(head, publicPath: server.publicPath, hasLocalPeer: hasLocalPeer)
        let received = ReceivedRequest(head, gate: gate, destination: destination(of: head, gate))
        self.received = received
        if case .refusal = received.destination, received.announcesBody {
            // The body of a refused request isn't stored.
            self.received = nil
            isDiscarding = true
            return respondInTurn(received, context)
        }
        guard received.announcedLength <= maximumBytes(of: received) else { return refuseBody(context) }
        if head.headers.first(name: "Expect")?.lowercased() == "100-continue", head.version != .http1_0 {
            let proceed = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(proceed)), promise: nil)
        }
    }

    private func bodyArrived(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        bodyBytes += buffer.readableBytes
        guard let received else {
            if isDiscarding, bodyBytes > server.limits.maximumBodyBytes { context.close(promise: nil) }
            return
        }
        guard bodyBytes <= maximumBytes(of: received) else { return refuseBody(context) }
        if bodyLimit(of: received) > 0 { self.received?.body.writeImmutableBuffer(buffer) }
    }

    /// Returns the length limit of a stored body; 0 if the body is discarded.
    private func bodyLimit(of request: ReceivedRequest) -> Int {
        guard case .route(let route, let path) = request.destination else { return 0 }
        return route.bodyLimit(
            of: HTTPRequest.Method(rawValue: request.head.method.rawValue) ?? .get, at: path, within: server.limits)
    }

    /// Returns the length limit of a received body. A body that the route doesn't accept is discarded (RFC 9110
    /// §9.3.1).
    private func maximumBytes(of request: ReceivedRequest) -> Int {
        let limit = bodyLimit(of: request)
        return limit > 0 ? limit : server.limits.maximumBodyBytes
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        guard let received else { return }
        self.received = nil
        isDiscarding = true
        let problem = Problem(
            title: "Content too large", status: 413,
            detail: "the request body exceeds this path's limit of \(maximumBytes(of: received)) bytes",
            code: "contentTooLarge")
        makeWriter(received.head, keepsAlive: false, context).writeError(ErrorResponse(problem))
    }

    private func requestArrived(_ context: ChannelHandlerContext) {
        clock.requestArrived()
        isDiscarding = false
        guard let received else { return }
        self.received = nil
        respondInTurn(received, context)
    }

    private func respondInTurn(_ request: ReceivedRequest, _ context: ChannelHandlerContext) {
        guard endingResponses > 0 else { return respond(request, context) }
        // A pipelined request arrives while the previous response ends. Responding immediately would recurse once for
        // each pipelined request.
        let bound = NIOLoopBound((self, request, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, request, context) = bound.value
            if context.channel.isActive { handler.respond(request, context) }
        }
    }

    private func makeWriter(
        _ head: HTTPRequestHead, keepsAlive: Bool, kind: RouteKind = .other, _ context: ChannelHandlerContext
    ) -> ResponseWriter {
        let writer = ResponseWriter(
            request: head, keepsAlive: keepsAlive, kind: kind, supportsFileRegions: supportsFileRegions,
            context: context, owner: self)
        self.writer = writer
        return writer
    }

    /// Called by a writer before the end of its response is written.
    func responseWillEnd(_ kind: RouteKind, status: Int, bytes: Int64) {
        server.metrics.count(kind, status: status, bytes: bytes)
        clock.responseEnded()
        exchange = nil
        writer = nil
        endingResponses += 1
    }

    /// Called by a writer after the end of its response was written, or the connection closed instead.
    func responseDidEnd() { endingResponses -= 1 }

    // MARK: - Routing

    /// Returns the destination of a request, which doesn't depend on its body.
    private func destination(of head: HTTPRequestHead, _ gate: RequestGate) -> RequestDestination {
        let host = verdict(on: gate.host)
        if let problem = gate.problem(host) { return .refusal(ErrorResponse(problem)) }
        let path = ReaderPath(gate.path)
        let grant = path.token.flatMap { server.access.grant(for: $0) }
        if path.token != nil, grant?.admits(path: path.path) != true {
            return .refusal(ErrorResponse(.wrongToken), isAdmitted: false)
        }
        guard let entry = server.router.entry(for: path.path) else { return .refusal(ErrorResponse(.unknownPath)) }
        let access = entry.route.access
        guard path.token == nil || access == .reader || (access == .library && grant == .library) else {
            return .refusal(ErrorResponse(.unknownPath))
        }
        if let problem = refusal(by: access, path, host, head) {
            return .refusal(ErrorResponse(problem), isAdmitted: false)
        }
        guard let mediaRoute = entry.media else { return .route(entry.route, path: path.path) }
        do {
            let request = MediaRequest(gate: gate, path: path.path, playTargets: playTargets)
            let opener = try mediaRoute.opener(for: request)
            return .media(opener, isAdmitted: path.token != nil || mediaRoute.isAdmittedByPath)
        } catch {
            return .refusal(ErrorResponse(error), isAdmitted: path.token != nil)
        }
    }

    private func verdict(on host: String?) -> HostVerdict {
        if let lastHost, lastHost.text == host { return lastHost.verdict }
        let verdict = server.hosts.verdict(on: host, localAddress: localAddress)
        lastHost = (host, verdict)
        return verdict
    }

    private func refusal(
        by access: RouteAccess, _ path: ReaderPath, _ host: HostVerdict, _ head: HTTPRequestHead
    ) -> Problem? {
        let authorization = head.headers.first(name: "Authorization")
        switch access {
        case .open: return nil
        case .key: return server.access.admits(authorization: authorization) ? nil : .unauthorized
        case .library:
            let isAdmitted = path.token != nil || server.access.admits(authorization: authorization)
            return isAdmitted ? nil : .unauthorized
        case .reader:
            let isOpen = path.token != nil || server.hasPublicReads || isLocal(host, head)
            return isOpen || server.access.admits(authorization: authorization) ? nil : .tokenInPath
        }
    }

    /// Returns whether a request was sent by a client on this machine, and neither by a proxy nor by a page of another
    /// site.
    private func isLocal(_ host: HostVerdict, _ head: HTTPRequestHead) -> Bool {
        hasLocalPeer && host.permitsLocality && !HostPolicy.wasForwarded(head.headers)
            && !HostPolicy.isCrossSite(head.headers)
    }

    // MARK: - Responding

    private func respond(_ request: ReceivedRequest, _ context: ChannelHandlerContext) {
        let (head, gate) = (request.head, request.gate)
        // The connection closes after a refused upgrade or tunnel, since the bytes that follow aren't HTTP, and after a
        // body that is too long to discard.
        let keepsAlive =
            head.isKeepAlive && !isDraining && !gate.requestsTunnel
            && !(isDiscarding && request.announcedLength > server.limits.maximumBodyBytes)
        let writer = makeWriter(head, keepsAlive: keepsAlive, kind: RouteKind(path: gate.path), context)
        switch request.destination {
        case .refusal(let error, let isAdmitted): writer.writeError(error, isAdmitted: isAdmitted)
        case .media(let opener, let isAdmitted): serve(opener, head, writer, isAdmitted: isAdmitted)
        case .route(let route, let path):
            let call = RouteCall(
                route: route, request: RouteRequest(gate, path: path, head, request.body),
                isSecret: server.access.isSecret, changes: server.conditionalChanges)
            start(RouteExchange(call: call, writer: writer, logger: server.logger))
        }
    }

    private func serve(
        _ opener: any ReaderOpener, _ head: HTTPRequestHead, _ writer: ResponseWriter, isAdmitted: Bool
    ) {
        switch head.method {
        case .GET, .HEAD:
            let exchange = PlayExchange(
                request: PlayRequest(head), opener: opener, isAdmitted: isAdmitted, writer: writer,
                recentHeaders: recentHeaders, pieces: pieces, pool: server.pool)
            start(exchange)
        case .OPTIONS where isAdmitted:
            writer.writeHead(.noContent, PlayHeaders.preflight(), contentLength: nil)
            writer.finish()
        default:
            let allowed: [HTTPRequest.Method] = isAdmitted ? [.get, .options] : [.get]
            let problem = Problem.methodNotAllowed(head.method.rawValue, allowed: allowed)
            writer.writeError(ErrorResponse(problem), isAdmitted: isAdmitted)
        }
    }

    private func start(_ exchange: any Exchange) {
        self.exchange = exchange
        exchange.start()
    }
}
