import AsyncHTTPClient
import Dispatch
import HTTPTypes
public import MediaCache
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization

/// An origin over HTTP/1.1, on async-http-client.
///
/// It follows no redirect, decodes nothing and keeps no cookie. Certificates are always checked. A reader that stops
/// asking stops the socket: about 1 MiB of a response lies in this process by then.
///
/// Call ``shutdown()`` when it's no longer needed.
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

    /// Creates an origin; nothing is connected yet.
    ///
    /// - Throws: `CacheError` with `storage` if a certificate file can't be read.
    public convenience init(settings: AsyncHTTPClientSettings = AsyncHTTPClientSettings()) throws {
        try self.init(settings: settings, hostAddresses: [:])
    }

    /// Creates an origin for tests.
    ///
    /// - Parameters:
    ///   - hostAddresses: addresses by host name, in place of the resolver's.
    ///   - preparesConnections: whether the client calls back for each new connection, as it should.
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
        // The engine retries, and knows when; the client would try again silently until its own limit.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Each exchange has its own, shorter limit; this one ends attempts that nobody waits for any more.
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
    /// Behind a proxy the scope is checked for literal addresses and for names that are known to be local: where
    /// another name leads is the proxy's to know.
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
            throw OriginFailure.cacheError(for: error, url: url, hadHead: false)
        }
        let client = request.scope == .any ? unrestricted : guarded
        let exchange = HTTPExchange(url: url, limits: request.limits, proxy: proxy)
        let response = try await exchange.run { client.execute(request: placeholder, delegate: $0) }
        // Whatever answered, the request didn't pass the check of its connection.
        guard !withheld.contains(ticket) else {
            response.body.cancel()
            throw CacheError(
                .forbiddenAddress, "the connection to \(url.authority) wasn't checked, so the request wasn't sent")
        }
        return response
    }

    /// Checks a request before anything is connected.
    ///
    /// The connected address is checked when a connection is established, before the request is sent. By then the error
    /// would tell whether a local port is open, and with TLS a local service could have read the first bytes of the
    /// handshake: the name is therefore resolved here too. A name without an address is left to the client, whose error
    /// says so.
    private func check(_ request: OriginRequest) async throws {
        try rule.check(request.url, scope: request.scope, isProxied: proxy != nil)
        guard request.scope == .publicOnly, proxy == nil else { return }
        let meaning = try await hosts.meaning(of: request.url.host, grants: rule.grants)
        if meaning.isResolved { try meaning.requirePublic(request.url) }
    }

    /// Closes all connections; requests that run fail with `cancelled`. Later ones fail with
    /// `closed`. Connections that are only being made can't be cut; they aren't waited for longer than
    /// two seconds, and end by themselves.
    public func shutdown() async {
        let isFirst = isShutDown.withLock { isShutDown in
            defer { isShutDown = true }
            return !isShutDown
        }
        guard isFirst else { return }
        // A failure says that connections had to be cut, which is what was asked for.
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
    /// Sets up a connection that stands but has not carried a request yet, TLS included.
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
            // The client counts on a connection that still stands when it's told of the failure, so close later.
            channel.eventLoop.execute { channel.close(promise: nil) }
            return channel.eventLoop.makeFailedFuture(error)
        }
        // Few large reads: about twice as fast as growing buffers on a fast network. One per turn of the event loop,
        // so that a reader who stops has at most one more on the way.
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
