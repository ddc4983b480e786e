import HTTPTypes
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOHTTP1

/// One connection's requests, one at a time: checks each, finds who answers, and minds the connection's end.
final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: ServerContext
    private let clock: ConnectionClock
    private let pieces: PieceBuffers
    /// The request that is being received, and that hasn't been answered.
    private var received: ReceivedRequest?
    /// The bytes of the current request's body, whether they are kept or not.
    private var bodyBytes = 0
    /// Whether the rest of an answered request is passed over.
    private var isPassingOver = false
    private var exchange: (any Exchange)?
    private var writer: ResponseWriter?
    private var isFinishing = false
    private var isDraining = false
    private var localAddress: String?
    /// Whether the connection's peer is on this machine.
    private var hasLocalPeer = false
    /// The last play target, with the digest of its token: players ask for the same one again and again.
    private var lastTarget: (text: String, target: PlayTarget, digest: TokenDigest)?
    private let recentHeaders = RecentPlayHeaders()
    /// The last host that was asked: a connection's requests all name the same.
    private var lastHost: (text: String?, verdict: HostVerdict)?

    init(server: ServerContext, clock: ConnectionClock, pieces: PieceBuffers) {
        self.server = server
        self.pieces = pieces
        self.clock = clock
    }

    func channelActive(context: ChannelHandlerContext) {
        localAddress = context.localAddress?.ipAddress
        hasLocalPeer = HostPolicy.isLoopback(context.remoteAddress)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): headArrived(head, context)
        case .body(let buffer): bodyArrived(buffer, context)
        case .end: requestArrived(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
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
        if let writer { writer.closeAfterwards() } else if received == nil { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The end of a connection that is being closed leaves the parser in the midst of a request.
        guard let error = error as? HTTPParserError, writer == nil, !isPassingOver, context.channel.isActive else {
            return context.close(promise: nil)
        }
        // What follows can't be told from the rest of this request, so the connection ends.
        let isTooLong = error == .headerOverflow
        let request = received?.head ?? HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
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
        bodyBytes = 0
        isPassingOver = false
        let gate = RequestGate(head)
        let received = ReceivedRequest(head, gate: gate, destination: destination(of: head, gate))
        self.received = received
        if case .refusal = received.destination, received.announcesBody {
            // A client that isn't let in sends no body to be kept.
            self.received = nil
            isPassingOver = true
            return answerInTurn(received, context)
        }
        guard received.announcedLength <= mostBytes(of: received) else { return refuseBody(context) }
        if head.headers.first(name: "Expect")?.lowercased() == "100-continue", head.version != .http1_0 {
            let proceed = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(proceed)), promise: nil)
        }
    }

    private func bodyArrived(_ buffer: ByteBuffer, _ context: ChannelHandlerContext) {
        bodyBytes += buffer.readableBytes
        guard let received else {
            if isPassingOver, bodyBytes > server.limits.maximumBodyBytes { context.close(promise: nil) }
            return
        }
        guard bodyBytes <= mostBytes(of: received) else { return refuseBody(context) }
        if bodyLimit(of: received) > 0 { self.received?.body.writeImmutableBuffer(buffer) }
    }

    /// The longest body that is kept.
    private func bodyLimit(of request: ReceivedRequest) -> Int {
        guard case .route(let route, let path) = request.destination else { return 0 }
        return route.bodyLimit(
            of: HTTPRequest.Method(rawValue: request.head.method.rawValue) ?? .get, at: path.path,
            within: server.limits)
    }

    /// The longest body that is received. One that no route takes is passed over (RFC 9110 §9.3.1).
    private func mostBytes(of request: ReceivedRequest) -> Int {
        let limit = bodyLimit(of: request)
        return limit > 0 ? limit : server.limits.maximumBodyBytes
    }

    private func refuseBody(_ context: ChannelHandlerContext) {
        guard let received else { return }
        self.received = nil
        isPassingOver = true
        makeWriter(received.head, keepsAlive: false, context).writeProblem(
            Problem(
                title: "Content too large",
                status: 413,
                detail: "a body of this path may have at most \(mostBytes(of: received)) bytes",
                code: "contentTooLarge"
            )
        )
    }

    private func requestArrived(_ context: ChannelHandlerContext) {
        clock.requestArrived()
        isPassingOver = false
        guard let received else { return }
        self.received = nil
        answerInTurn(received, context)
    }

    private func answerInTurn(_ request: ReceivedRequest, _ context: ChannelHandlerContext) {
        guard isFinishing else { return answer(request, context) }
        // A pipelined request comes while the response before it is being ended: each answered at once, many of them
        // would nest without end.
        let bound = NIOLoopBound((self, request, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, request, context) = bound.value
            if context.channel.isActive { handler.answer(request, context) }
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

    /// Decides by its head alone what answers a request.
    private func destination(of head: HTTPRequestHead, _ gate: RequestGate) -> RequestDestination {
        let host = verdict(on: gate.host)
        if let problem = gate.problem(host) { return .refusal(problem, hasProtection: false) }
        if RouteKind(path: gate.path) == .play {
            do {
                let (target, digest) = try playTarget(gate.target)
                guard server.access.admits(target, digest: digest) else {
                    return .refusal(.wrongToken, hasProtection: true)
                }
                return .play(target)
            } catch {
                return .refusal(Problem(error), hasProtection: true)
            }
        }
        let path = ReaderPath(gate.path)
        if let token = path.token, server.access.grant(for: token)?.admits(path: path.path) != true {
            return .refusal(.wrongToken, hasProtection: true)
        }
        guard let route = server.router.route(for: path.path), path.token == nil || route.access == .reader else {
            return .refusal(.notFound("there is nothing at this path"), hasProtection: false)
        }
        if let problem = refusal(by: route.access, path, host, head) { return .refusal(problem, hasProtection: true) }
        return .route(route, path)
    }

    private func answer(_ request: ReceivedRequest, _ context: ChannelHandlerContext) {
        let (head, gate) = (request.head, request.gate)
        // After an upgrade or a tunnel that isn't given, what follows on the connection isn't HTTP. A body that isn't
        // received to its end takes the connection with it.
        let keepsAlive =
            head.isKeepAlive && !isDraining && !gate.asksForTunnel
            && !(isPassingOver && request.announcedLength > server.limits.maximumBodyBytes)
        let writer = makeWriter(head, keepsAlive: keepsAlive, kind: RouteKind(path: gate.path), context)
        switch request.destination {
        case .refusal(let problem, let hasProtection):
            if hasProtection { refuse(problem, writer, isAdmitted: false) } else { writer.writeProblem(problem) }
        case .play(let target): play(target, head, writer)
        case .route(let route, let path):
            let routed = RouteRequest(gate, path: path.path, head, request.body)
            if let route = route as? any MediaRoute {
                read(routed, of: route, head, writer, isAdmitted: path.token != nil)
            } else {
                let call = RouteCall(
                    route: route, request: routed, isSecret: server.access.isSecret, changes: server.conditionalChanges)
                start(RouteExchange(call: call, writer: writer, logger: server.logger))
            }
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
        let authorization = head.headers.first(name: "Authorization")
        switch access {
        case .open: return nil
        case .key: return server.access.admits(authorization: authorization) ? nil : .unauthorized
        case .reader:
            let isOpen = path.token != nil || server.isReadByAll || isLocal(host, head)
            return isOpen || server.access.admits(authorization: authorization) ? nil : .tokenInPath
        }
    }

    /// Whether a request comes from this machine, and from no proxy on it and no page of another site.
    private func isLocal(_ host: HostVerdict, _ head: HTTPRequestHead) -> Bool {
        hasLocalPeer && host.permitsLocality && !HostPolicy.wasForwarded(head.headers)
            && !HostPolicy.isOfOtherSite(head.headers)
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
        writer.writeProblem(isAdmitted ? problem : problem.withoutURLs, fields)
    }

    private func playTarget(_ text: String) throws -> (target: PlayTarget, digest: TokenDigest) {
        if let lastTarget, lastTarget.text == text { return (lastTarget.target, lastTarget.digest) }
        let target = try PlayTarget(text)
        let digest = TokenDigest(of: target.token)
        lastTarget = (text, target, digest)
        return (target, digest)
    }

    private func play(_ target: PlayTarget, _ head: HTTPRequestHead, _ writer: ResponseWriter) {
        var target = target
        if let credentials = target.credentials {
            target.options.identity = server.profiles.remember(credentials, for: target.url, from: .untrusted)
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
                recentHeaders: recentHeaders,
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
