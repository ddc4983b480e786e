import AsyncHTTPClient
import Dispatch
import HTTPTypes
public import MediaCache
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An origin over HTTP/1.1, based on async-http-client.
///
/// It follows no redirects, decodes no content codings and stores no cookies. Certificates are always verified. When a
/// reader stops reading, the socket stops after about 1 MiB.
///
/// Call ``shutdown()`` when the origin is no longer needed.
public final class AsyncHTTPClientOrigin: Origin {
    private let unrestricted: HTTPClient
    private let guarded: HTTPClient
    private let rule: AccessRule
    private let hosts: HostAddresses
    private let withheld: WithheldRequests
    private let proxy: UpstreamProxy?
    private let eventLoop: any EventLoop
    private let isShutDown = Mutex(false)
    private static let shutdownLimit = TimeAmount.seconds(2)

    /// Creates an origin without opening connections.
    ///
    /// - Throws: `CacheError` with `storage` if a certificate file can't be read.
    public convenience init(settings: AsyncHTTPClientSettings = AsyncHTTPClientSettings()) throws {
        try self.init(settings: settings, hostAddresses: [:])
    }

    /// Creates an origin for tests.
    ///
    /// - Parameters:
    ///   - hostAddresses: Addresses by host name, used instead of the resolver.
    ///   - preparesConnections: Whether the client reports each new connection.
    init(
        settings: AsyncHTTPClientSettings, hostAddresses: [String: String], preparesConnections: Bool = true
    ) throws {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: try Self.tlsConfiguration(settings),
            redirectConfiguration: .disallow,
            proxy: settings.proxy.map(Self.proxy),
            decompression: .disabled
        )
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.connectionsPerHost
        configuration.connectionPool.idleTimeout = TimeAmount(settings.idleConnectionLimit)
        // The engine decides when to retry; the client would retry silently until its own limit.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Each exchange has its own, shorter limit. This one ends attempts that were abandoned.
        configuration.timeout.connect = .seconds(60)

        configuration.dnsOverride = hostAddresses
        let rule = AccessRule(grants: settings.allowedNetworks)
        let withheld = WithheldRequests()
        self.rule = rule
        hosts = HostAddresses(time: SystemTime(), fixed: hostAddresses)
        self.withheld = withheld
        let group = settings.eventLoopGroup ?? MultiThreadedEventLoopGroup.singleton
        eventLoop = group.any()
        proxy = settings.proxy
        let isProxied = settings.proxy != nil
        func client(_ scope: AddressScope) -> HTTPClient {
            var configuration = configuration
            if preparesConnections {
                configuration.http1_1ConnectionDebugInitializer = { channel in
                    Self.setUp(channel, rule: rule, scope: scope, isProxied: isProxied, withheld: withheld)
                }
            }
            return HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        }
        unrestricted = client(.any)
        guarded = client(.publicOnly)
    }

    deinit {
        guard !isShutDown.withLock({ $0 }) else { return }
        unrestricted.shutdown { _ in }
        guarded.shutdown { _ in }
    }

    /// Sends a request; see `Origin.send(_:)`. User information in the URL becomes `Authorization: Basic` (RFC 7617)
    /// unless that field is set.
    ///
    /// Behind a proxy, the scope is checked only for literal addresses and for names that are known to be local. The
    /// proxy resolves all other names.
    public func send(_ request: OriginRequest) async throws -> OriginResponse {
        let url = request.url
        let head = Self.head(of: request)
        let ticket = withheld.add(head)
        defer { withheld.remove(ticket) }
        let placeholder: HTTPClient.Request
        do {
            try await check(request)
            placeholder = try HTTPClient.Request(
                url: "\(url.origin)/", method: WithheldRequests.method,
                headers: [WithheldRequests.ticketField: "\(ticket)"])
        } catch {
            throw HTTPClientErrorMapper.cacheError(for: error, url: url, hadHead: false)
        }
        let client = request.scope == .any ? unrestricted : guarded
        let exchange = HTTPExchange(url: url, limits: request.limits, proxy: proxy)
        let response = try await exchange.run { client.execute(request: placeholder, delegate: $0) }
        // The ticket is still withheld, so the connection wasn't checked.
        guard !withheld.contains(ticket) else {
            response.body.cancel()
            throw CacheError(
                .forbiddenAddress, "the connection to \(url.authority) wasn't checked, so the request wasn't sent")
        }
        return response
    }

    /// Checks a request before a connection is opened.
    ///
    /// The connected address is checked again before the request is sent. That check alone would reveal whether a local
    /// port is open, and with TLS a local service would receive the first bytes of the handshake, so the name is
    /// resolved here too. If a name has no address, the client reports the error.
    private func check(_ request: OriginRequest) async throws {
        try rule.check(request.url, scope: request.scope, isProxied: proxy != nil)
        guard request.scope == .publicOnly, proxy == nil else { return }
        let resolution = try await hosts.resolve(request.url.host, allowing: rule.grants)
        if resolution.isResolved { try resolution.requirePublic(request.url) }
    }

    /// Closes all connections. Running requests fail with `cancelled`, later ones with `closed`. Waits at most two
    /// seconds for connections that are being established, which can't be cancelled.
    public func shutdown() async {
        let isFirst = isShutDown.withLock { isShutDown in
            defer { isShutDown = true }
            return !isShutDown
        }
        guard isFirst else { return }
        // Errors only mean that connections were closed, as intended.
        let closed = [unrestricted, guarded].map { client in
            let promise = eventLoop.makePromise(of: Void.self)
            client.shutdown { _ in promise.succeed() }
            return promise.futureResult
        }
        let over = eventLoop.makePromise(of: Void.self)
        EventLoopFuture.andAllComplete(closed, on: eventLoop).cascade(to: over)
        let bound = eventLoop.scheduleTask(in: Self.shutdownLimit) { over.succeed() }
        over.futureResult.whenComplete { _ in bound.cancel() }
        try? await over.futureResult.get()
    }
}

extension AsyncHTTPClientOrigin {
    /// Prepares a connection that is established, including TLS, and hasn't carried a request yet.
    private static func setUp(
        _ channel: any Channel, rule: AccessRule, scope: AddressScope, isProxied: Bool, withheld: WithheldRequests
    ) -> EventLoopFuture<Void> {
        do {
            let address = channel.remoteAddress.flatMap { IPAddress($0) }
            // The proxy's address isn't the target's.
            if !isProxied { try rule.check(connected: address, scope: scope) }
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let handler = OriginConnectionHandler(
                peer: isProxied ? .unknown : address?.kind ?? .unknown, withheld: withheld)
            try pipeline.addHandler(handler, position: .after(decoder.handler))
        } catch {
            // The client expects the connection to be open when it receives the failure, so it is closed afterwards.
            channel.eventLoop.execute { channel.close(promise: nil) }
            return channel.eventLoop.makeFailedFuture(error)
        }
        // A few large reads are about twice as fast as growing buffers on a fast network. There is one read per turn of
        // the event loop, so that at most one more arrives after a reader stops.
        let allocator = FixedSizeRecvByteBufferAllocator(capacity: 1 << 20)
        return channel.setOption(.recvAllocator, value: allocator).flatMap {
            channel.setOption(.maxMessagesPerRead, value: 1)
        }
    }

    private static func head(of request: OriginRequest) -> HTTPRequestHead {
        let url = request.url
        var headers = HTTPHeaders(sent: request.headerFields)
        headers.replaceOrAdd(name: "Host", value: url.authority)
        if let credentials = url.credentials, !headers.contains(name: "Authorization") {
            headers.add(name: "Authorization", value: credentials.authorization)
        }
        return HTTPRequestHead(version: .http1_1, method: .GET, uri: url.target, headers: headers)
    }

    private static func tlsConfiguration(_ settings: AsyncHTTPClientSettings) throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.additionalTrustRoots = try settings.certificateAuthorityFiles.map { path in
            do {
                return .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw CacheError(
                    .storage, "no certificate can be read from \(path); it must be a PEM file", cause: error)
            }
        }
        return configuration
    }

    private static func proxy(_ proxy: UpstreamProxy) -> HTTPClient.Configuration.Proxy {
        switch proxy.authorization {
        case nil:
            .server(host: proxy.host, port: proxy.port)
        case .basic(let user, let password):
            .server(host: proxy.host, port: proxy.port, authorization: .basic(username: user, password: password))
        case .bearer(let token):
            .server(host: proxy.host, port: proxy.port, authorization: .bearer(tokens: token))
        }
    }
}
