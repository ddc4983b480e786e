import HTTPTypes
import MediaCache
import NIOCore
import NIOHTTP1

/// One connection's requests, one at a time: checks each, finds who answers, and minds the connection's end.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: ServerContext
    private let clock: ConnectionClock
    private let pieces: PieceBuffers
    private var head: HTTPRequestHead?
    private var body = ByteBuffer()
    private var exchange: (any Exchange)?
    private var writer: ResponseWriter?
    private var isFinishing = false
    private var isDraining = false
    private var localAddress: String?
    /// The last play target: players ask for the same one again and again.
    private var lastTarget: (text: String, target: PlayTarget)?
    /// The last host that was asked: a connection's requests all name the same.
    private var lastHost: (text: String?, verdict: HostVerdict)?

    init(server: ServerContext, clock: ConnectionClock, pieces: PieceBuffers) {
        self.server = server
        self.pieces = pieces
        self.clock = clock
    }

    func handlerAdded(context: ChannelHandlerContext) {
        localAddress = context.localAddress?.ipAddress
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): headArrived(head, context)
        case .body(let buffer): bodyArrived(buffer, context)
        case .end: requestArrived(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { clock.clientTookBytes() }
        exchange?.writabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange?.cancel()
        exchange = nil
        writer = nil
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is DrainConnection else { return context.fireUserInboundEventTriggered(event) }
        isDraining = true
        if let writer { writer.closeAfterwards() } else if head == nil { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of a connection that is being closed leaves the parser in the midst of a request.
        guard let error = error as? HTTPParserError, writer == nil, context.channel.isActive else {
            return context.close(promise: nil)
        }
        // What follows can't be told from the rest of this request, so the connection ends.
        let isTooLong = error == .headerOverflow
        let request = head ?? HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
        let writer = makeWriter(request, keepsAlive: false, context)
        writer.writeProblem(
            Problem(
                title: isTooLong ? "Header section too large" : "Bad request",
                status: isTooLong ? 431 : 400,
                detail: isTooLong
                    ? "the header section is longer than this server takes" : "this isn't HTTP/1.1: \(error)",
                code: "malformedRequest"
            )
        )
    }

    // MARK: The request

    private func headArrived(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        clock.headArrived()
        self.head = head
        body = ByteBuffer()
        let announced = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        if announced > bodyLimit(head) { return refuseBody(context) }
        if head.headers.first(name: "Expect")?.lowercased() == "100-continue", head.version != .http1_0 {
            let proceed = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(proceed)), promise: nil)
        }
    }

    private func bodyArrived(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        guard let head else { return }
        guard body.readableBytes + buffer.readableBytes <= bodyLimit(head) else { return refuseBody(context) }
        body.writeImmutableBuffer(buffer)
    }

    /// Who has the key may send a picture.
    private func bodyLimit(_ head: HTTPRequestHead) -> Int {
        server.access.admits(authorization: head.headers.first(name: "Authorization"))
            ? server.limits.maximumPictureBytes : server.limits.maximumBodyBytes
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        guard let head else { return }
        self.head = nil
        makeWriter(head, keepsAlive: false, context).writeProblem(
            Problem(
                title: "Content too large",
                status: 413,
                detail: "a request's body may have at most \(bodyLimit(head)) bytes",
                code: "contentTooLarge"
            )
        )
    }

    private func requestArrived(_ context: ChannelHandlerContext) {
        guard let head else { return }
        self.head = nil
        clock.requestArrived()
        let body = self.body
        self.body = ByteBuffer()
        guard isFinishing else { return answer(head, body, context) }
        // A pipelined request comes while the response before it is being ended: each answered at once, many of them
        // would nest without end.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = bound.value
            if context.channel.isActive { handler.answer(head, body, context) }
        }
    }

    private func makeWriter(
        _ head: HTTPRequestHead,
        keepsAlive: Bool,
        kind: RouteKind = .other,
        _ context: ChannelHandlerContext
    ) -> ResponseWriter {
        let writer = ResponseWriter(request: head, keepsAlive: keepsAlive, context: context) {
            [weak self] status, bytes in
            self?.responseWillEnd(kind, status: status, bytes: bytes, on: context.eventLoop)
        }
        self.writer = writer
        return writer
    }

    private func responseWillEnd(_ kind: RouteKind, status: Int, bytes: Int64, on loop: any EventLoop) {
        server.metrics.count(kind, status: status, bytes: bytes)
        clock.responseEnded()
        exchange = nil
        writer = nil
        guard !isFinishing else { return }
        isFinishing = true
        let bound = NIOLoopBound(self, eventLoop: loop)
        loop.execute { bound.value.isFinishing = false }
    }

    // MARK: The answer

    private func answer(_ head: HTTPRequestHead, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        let gate = RequestGate(head)
        // After an upgrade or a tunnel that isn't given, what follows on the connection isn't HTTP.
        let keepsAlive = head.isKeepAlive && !isDraining && !gate.asksForTunnel
        let kind = RouteKind(path: gate.path)
        let writer = makeWriter(head, keepsAlive: keepsAlive, kind: kind, context)
        let host = verdict(on: gate.host)
        if let problem = gate.problem(host) { return writer.writeProblem(problem) }
        if kind == .play { return play(gate.target, head, writer) }
        let path = ReaderPath(gate.path)
        if let key = path.key, !server.access.admits(key) { return refuse(.wrongKey, writer, isAdmitted: false) }
        guard let route = server.router.route(for: path.path), path.key == nil || route.access == .reader else {
            return writer.writeProblem(.notFound("there is nothing at this path"))
        }
        if let problem = refusal(by: route.access, path, host, head) {
            return refuse(problem, writer, isAdmitted: false)
        }
        let request = RouteRequest(gate, path: path.path, head, body)
        if let route = route as? any MediaRoute {
            read(request, of: route, head, writer, isAdmitted: path.key != nil)
        } else {
            let call = RouteCall(
                route: route, request: request, key: server.access.key, changes: server.conditionalChanges)
            start(RouteExchange(call: call, writer: writer, logger: server.logger))
        }
    }

    private func verdict(on host: String?) -> HostVerdict {
        if let lastHost, lastHost.text == host { return lastHost.verdict }
        let verdict = server.hosts.verdict(on: host, localAddress: localAddress)
        lastHost = (host, verdict)
        return verdict
    }

    /// Why a request may not ask a route, or nil.
    private func refusal(
        by access: RouteAccess, _ path: ReaderPath, _ host: HostVerdict, _ head: HTTPRequestHead
    ) -> Problem? {
        switch access {
        case .open: nil
        case .key: server.access.admits(authorization: head.headers.first(name: "Authorization")) ? nil : .unauthorized
        case .reader: path.key != nil || server.isReadByAll || host.isLocal ? nil : .keyInPath
        }
    }

    private func read(
        _ request: RouteRequest, of route: any MediaRoute, _ head: HTTPRequestHead, _ writer: ResponseWriter,
        isAdmitted: Bool
    ) {
        do {
            let opener = try route.opener(for: request)
            serve(opener, head, writer, isAdmitted: isAdmitted)
        } catch {
            refuse(Problem(error), writer, isAdmitted: isAdmitted)
        }
    }

    private func refuse(_ problem: Problem, _ writer: ResponseWriter, isAdmitted: Bool) {
        var fields = HTTPHeaders()
        PlayHeaders.addProtection(to: &fields, isAdmitted: isAdmitted)
        writer.writeProblem(problem, fields)
    }

    private func play(_ text: String, _ head: HTTPRequestHead, _ writer: ResponseWriter) {
        var target: PlayTarget
        if let lastTarget, lastTarget.text == text {
            target = lastTarget.target
        } else {
            do {
                target = try PlayTarget(text)
                lastTarget = (text, target)
            } catch {
                return refuse(Problem(error), writer, isAdmitted: false)
            }
        }
        guard server.access.admits(target.key) else { return refuse(.wrongKey, writer, isAdmitted: false) }
        if let credentials = target.credentials {
            target.options.identity = server.profiles.remember(credentials, for: target.url)
        }
        let settings = server.profiles.settings(for: target)
        serve(PlayOpener(target: target, source: server.source, settings: settings), head, writer, isAdmitted: true)
    }

    /// Answers a request for media.
    private func serve(
        _ opener: any ReaderOpener, _ head: HTTPRequestHead, _ writer: ResponseWriter, isAdmitted: Bool
    ) {
        switch head.method {
        case .GET, .HEAD:
            let exchange = PlayExchange(
                request: PlayRequest(head),
                opener: opener,
                isAdmitted: isAdmitted,
                writer: writer,
                pieces: pieces,
                pool: server.pool
            )
            start(exchange)
        case .OPTIONS where isAdmitted:
            writer.writeHead(.noContent, PlayHeaders.preflight(), contentLength: nil)
            writer.finish()
        default:
            var fields = HTTPHeaders()
            PlayHeaders.addProtection(to: &fields, isAdmitted: isAdmitted)
            let allowed: [HTTPRequest.Method] = isAdmitted ? [.get, .options] : [.get]
            writer.writeProblem(.methodNotAllowed(head.method.rawValue, allowed: allowed), fields)
        }
    }

    private func start(_ exchange: any Exchange) {
        self.exchange = exchange
        exchange.start()
    }
}
