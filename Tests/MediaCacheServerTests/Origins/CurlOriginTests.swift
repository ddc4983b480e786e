import Foundation
import HTTPTypes
import MediaCacheCurl
import MediaCacheServer
import MediaCacheTesting
import Synchronization
import TestSupport
import Testing

@testable import MediaCache

@Suite(.timeLimit(.minutes(30)))
struct CurlOriginTests {
    private static let text = ScriptedResource(.text("hello"), contentType: "text/plain")

    /// Runs `body` with an origin, and with a server that has a resource at a URL.
    private func withServer(
        _ resource: ScriptedResource = Self.text, onIPv6: Bool = false, settings: CurlSettings = CurlSettings(),
        _ body: (CurlOrigin, ScriptedOriginServer, ResourceURL) async throws -> Void
    ) async throws {
        let server = try ScriptedOriginServer(onIPv6: onIPv6)
        defer { server.stop() }
        let origin = try CurlOrigin(settings: settings)
        let url = try server.url("/a")
        server.origin[url] = resource
        do {
            try await body(origin, server, url)
        } catch {
            Issue.record(error)
        }
        await origin.shutdown()
    }

    private func read(_ response: OriginResponse) async throws -> String {
        var bytes: [UInt8] = []
        while let buffer = try await response.body.next() { bytes += buffer.withUnsafeBytes { Array($0) } }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func failure(_ body: () async throws -> Void) async -> CacheError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CacheError
        }
    }

    @Test func userInfoBecomesBasicAuthorization() async throws {
        try await withServer { origin, server, _ in
            let url = try ResourceURL("http://us%40er:p%3Ass%C3%A9@127.0.0.1:\(server.port)/a")
            server.origin[url] = Self.text
            _ = try await read(origin.send(OriginRequest(url: url)))
            let sent = server.origin.requests[0].headerFields[.authorization]
            #expect(sent == "Basic " + Data("us@er:p:ssé".utf8).base64EncodedString())

            _ = try await read(origin.send(OriginRequest(url: url, headerFields: [.authorization: "Bearer t"])))
            #expect(server.origin.requests[1].headerFields[.authorization] == "Bearer t")
        }
    }

    @Test func connectsToIPv6Addresses() async throws {
        try await withServer(onIPv6: true) { origin, server, url in
            let response = try await origin.send(OriginRequest(url: url))
            #expect(response.peer == .local)
            #expect(try await read(response) == "hello")
        }
    }

    @Test func refusesNameOfLocalAddressBeforeRequest() async throws {
        try await withServer { origin, server, _ in
            let url = try ResourceURL("http://localhost:\(server.port)/a")
            server.origin[url] = Self.text
            // Sent repeatedly and concurrently, because each refusal closes a connection that the client considers
            // usable.
            for _ in 0..<5 {
                await withTaskGroup(of: CacheError.Code?.self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            await failure { _ = try await origin.send(OriginRequest(url: url, scope: .publicOnly)) }?
                                .code
                        }
                    }
                    for await code in group { #expect(code == .forbiddenAddress) }
                }
            }
            #expect(server.origin.requests.isEmpty)
            let error = await failure { _ = try await origin.send(OriginRequest(url: url, scope: .publicOnly)) }
            #expect(error?.message.contains("localhost:\(server.port)") == true)

            let response = try await origin.send(OriginRequest(url: url))
            #expect(try await read(response) == "hello")
            let again = await failure { _ = try await origin.send(OriginRequest(url: url, scope: .publicOnly)) }
            #expect(again?.code == .forbiddenAddress, "a connection without address restrictions must not be reused")
        }
    }

    @Test func contactsAllowedNetworksInPublicScope() async throws {
        let loopback = try #require(AddressRange("127.0.0.0/8"))
        try await withServer(settings: CurlSettings(allowedNetworks: [loopback])) { origin, server, url in
            let response = try await origin.send(OriginRequest(url: url, scope: .publicOnly))
            #expect(response.peer == .local)
            #expect(try await read(response) == "hello")
        }
    }

    @Test func reportsRefusedConnectionAsUnreachable() async throws {
        let port = try RefusingPort()
        defer { port.close() }
        let url = try ResourceURL("http://127.0.0.1:\(port.number)/a")
        let origin = CurlOrigin()
        let error = await failure {
            _ = try await origin.send(OriginRequest(url: url, limits: TransferLimits(connect: .seconds(30))))
        }
        await origin.shutdown()
        #expect(error?.code == .unreachable)
        // The message contains no text of the system or the HTTP client.
        #expect(
            error?.description
                == "connection refused by \(url.authority); check the address, and whether the server is running",
            "\(error as Any)")
    }

    /// The host that refuses the connection is a name with several addresses, or a proxy.
    @Test func errorContainsRefusingHost() async throws {
        let refusing = try RefusingPort()
        defer { refusing.close() }
        let port = refusing.number
        let direct = CurlOrigin()
        let named = await failure {
            _ = try await direct.send(OriginRequest(url: try ResourceURL("http://localhost:\(port)/a")))
        }
        await direct.shutdown()
        #expect(named?.description.hasPrefix("connection refused by localhost:\(port);") == true, "\(named as Any)")
        let proxied = try CurlOrigin(settings: .init(proxy: UpstreamProxy(host: "127.0.0.1", port: port)))
        let proxy = await failure {
            _ = try await proxied.send(OriginRequest(url: try ResourceURL("http://example.org/a")))
        }
        await proxied.shutdown()
        #expect(
            proxy?.description
                == "connection refused by the upstream proxy 127.0.0.1:\(port); check its address and port",
            "\(proxy as Any)")
    }

    @Test func reportsUnknownNameAsUnreachable() async throws {
        try await withServer { origin, _, _ in
            let url = try ResourceURL("http://no-such-host.invalid/a")
            // The system's resolver may try several servers.
            let limits = TransferLimits(connect: .seconds(150))
            let error = await failure { _ = try await origin.send(OriginRequest(url: url, limits: limits)) }
            #expect(error?.code == .unreachable && error?.message.contains("no-such-host.invalid") == true)
        }
    }

    @Test func limitsHandshakeByConnectTimeout() async throws {
        try await withServer { origin, server, _ in
            // The server waits for the end of a request head, which never comes because the client sends a TLS
            // ClientHello.
            let url = try ResourceURL("https://127.0.0.1:\(server.port)/a")
            let limits = TransferLimits(connect: .milliseconds(200), firstByte: .seconds(60))
            let error = await failure { _ = try await origin.send(OriginRequest(url: url, limits: limits)) }
            #expect(error?.code == .timedOut && error?.message.contains("connecting") == true)
        }
    }

    @Test func trustsCertificateOnlyWithItsAuthority() async throws {
        let server = try TLSServer()
        let url = try ResourceURL("https://127.0.0.1:\(server.port)/a")
        let file = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID()).pem")
        try Data(TLSFixture.authority.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }

        let strict = CurlOrigin()
        let error = await failure { _ = try await strict.send(OriginRequest(url: url)) }
        await strict.shutdown()
        #expect(error?.code == .unreachable && error?.message.contains("certificate") == true)

        let trusting = try CurlOrigin(settings: .init(certificateAuthorityFiles: [file.path()]))
        let response = try await trusting.send(OriginRequest(url: url))
        #expect(response.peer == .local)
        #expect(try await read(response) == "secret")

        // The host name must match, too.
        let misnamed = try ResourceURL("https://127.0.0.2:\(server.port)/a")
        let mismatch = await failure { _ = try await trusting.send(OriginRequest(url: misnamed)) }
        await trusting.shutdown()
        #expect(mismatch?.code == .unreachable)
    }

    @Test func errorContainsPathOfMissingAuthorityFile() async throws {
        let error = await failure {
            _ = try CurlOrigin(settings: .init(certificateAuthorityFiles: ["/nowhere/ca.pem"]))
        }
        #expect(error?.code == .storage && error?.message.contains("/nowhere/ca.pem") == true)
    }

    @Test func sendsRequestsThroughProxy() async throws {
        let proxy = try ScriptedOriginServer()
        let settings = CurlSettings(
            proxy: UpstreamProxy(
                host: "127.0.0.1", port: proxy.port, authorization: .basic(user: "me", password: "secret")))
        let origin = try CurlOrigin(settings: settings)
        let authorization = "Basic " + Data("me:secret".utf8).base64EncodedString()
        let url = try ResourceURL("http://media.example/a/../b?c=%20")
        proxy.origin[url] = Self.text
        let response = try await origin.send(OriginRequest(url: url, scope: .publicOnly))
        #expect(response.peer == .unknown)
        #expect(try await read(response) == "hello")
        #expect(proxy.origin.requests[0].url == url)
        #expect(proxy.origin.requests[0].headerFields[.proxyAuthorization] == authorization)
        // Many proxies permit CONNECT only to the port of https.
        #expect(proxy.origin.tunnels.isEmpty)

        let secure = try ResourceURL("https://media.example/a")
        let limits = TransferLimits(connect: .seconds(150))
        let connecting = Task { try await origin.send(OriginRequest(url: secure, limits: limits)) }
        while proxy.origin.tunnels.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        // The proxy doesn't complete the handshake of the tunnel.
        connecting.cancel()
        _ = await connecting.result
        let tunnel = try #require(proxy.origin.tunnels.first)
        #expect(tunnel.authority == "media.example:443")
        #expect(tunnel.headerFields[.proxyAuthorization] == authorization)

        proxy.origin.next(url, .status(407))
        let refused = await failure { _ = try await origin.send(OriginRequest(url: url)) }
        #expect(refused?.code == .unreachable && refused?.message.contains("user name") == true)

        let local = try ResourceURL("http://127.0.0.1/a")
        let error = await failure { _ = try await origin.send(OriginRequest(url: local, scope: .publicOnly)) }
        #expect(error?.code == .forbiddenAddress)
        await origin.shutdown()
        proxy.stop()
    }

    @Test(arguments: [nil, UpstreamProxy.Authorization.basic(user: "me", password: "se:cret")])
    func sendsRequestsThroughSOCKSProxy(authorization: UpstreamProxy.Authorization?) async throws {
        let proxy = try ScriptedOriginServer()
        let settings = CurlSettings(
            proxy: UpstreamProxy(kind: .socks5, host: "127.0.0.1", port: proxy.port, authorization: authorization))
        let origin = try CurlOrigin(settings: settings)
        let url = try ResourceURL("http://media.example:8080/a")
        proxy.origin[url] = Self.text
        let response = try await origin.send(OriginRequest(url: url, scope: .publicOnly))
        #expect(response.peer == .unknown)
        #expect(try await read(response) == "hello")
        let tunnel = try #require(proxy.origin.tunnels.first)
        #expect(tunnel.authority == "media.example:8080", "the proxy must resolve the name")
        #expect(tunnel.headerFields[.proxyAuthorization] == (authorization == nil ? nil : "me:se:cret"))

        let local = try ResourceURL("http://tuner.local/a")
        let error = await failure { _ = try await origin.send(OriginRequest(url: local, scope: .publicOnly)) }
        #expect(error?.code == .forbiddenAddress)
        await origin.shutdown()
        proxy.stop()
    }

    /// A transfer pauses while its reader hasn't taken the received buffers, and must continue afterwards.
    @Test func readsLongBodyWithFastAndSlowReaders() async throws {
        let length = 40 << 20
        try await withServer(ScriptedResource(.random(seed: 1, length: Int64(length)))) { origin, _, url in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for reader in 0..<4 {
                    group.addTask {
                        let response = try await origin.send(OriginRequest(url: url))
                        var count = 0
                        while let buffer = try await response.body.next() {
                            count += buffer.count
                            if reader > 1 { try await Task.sleep(for: .milliseconds(reader)) }
                        }
                        return count
                    }
                }
                for try await count in group { #expect(count == length) }
            }
        }
    }

    @Test func reusesConnections() async throws {
        try await withServer { origin, server, url in
            for _ in 0..<20 { _ = try await read(origin.send(OriginRequest(url: url))) }
            #expect(server.origin.requests.count == 20 && server.acceptedConnections == 1)
        }
    }

    /// libcurl sends a request again if a reused connection ends without a response.
    @Test(arguments: [HTTPRequest.Method.get, .put, .delete, .post, .patch])
    func sendsOnlyIdempotentRequestsAgain(_ method: HTTPRequest.Method) async throws {
        try await withServer { origin, server, url in
            _ = try await read(origin.send(OriginRequest(url: url)))
            server.origin.next(url, .unreachable)
            let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
            let repetitions = Mutex(0)
            var request = OriginRequest(url: url)
            request.method = method
            if method != .get { request.content = RequestContent(content) }
            request.willRepeat = { repetitions.withLock { $0 += 1 } }
            let isIdempotent = method != .post && method != .patch
            let error = await failure { _ = try await read(origin.send(request)) }
            #expect(error?.code == (isIdempotent ? nil : .unreachable), "\(error as Any)")
            let sent = server.origin.requests.dropFirst()
            #expect(sent.count == (isIdempotent ? 2 : 1))
            #expect(repetitions.withLock { $0 } == sent.count - 1)
            for request in sent {
                #expect(request.method == method && request.content == (method == .get ? [] : content))
            }
        }
    }

    @Test func countsRepeatedRequests() async throws {
        try await withServer { origin, server, url in
            let counters = Counters()
            let context = OriginContext(
                origin: origin, time: SystemTime(), settings: TransferSettings(), counters: counters)
            let exchange = OriginExchange(context: context, locator: ResourceLocator(url: url))
            _ = try await read(exchange.send([:]).response)
            server.origin.next(url, .unreachable)
            _ = try await read(exchange.send([:]).response)
            #expect(server.origin.requests.count == 3 && counters.snapshot.originRequests == 3)
        }
    }

    @Test func endsRunningRequestsAtShutdown() async throws {
        try await withServer(ScriptedResource(.random(seed: 1, length: 1 << 20))) { origin, server, url in
            server.origin.always(url, .stall(after: 1000))
            let response = try await origin.send(OriginRequest(url: url))
            async let rest = failure { _ = try await read(response) }
            await origin.shutdown()
            await origin.shutdown()
            #expect(await rest?.code == .cancelled)
            #expect(await failure { _ = try await origin.send(OriginRequest(url: url)) }?.code == .closed)
        }
    }

    @Test func reportsNegativeContentLengthAsBadResponse() async throws {
        try await withServer { origin, server, url in
            server.origin.always(url, .headerFields([.contentLength: "-5"]))
            let error = await failure { _ = try await read(origin.send(OriginRequest(url: url))) }
            #expect(error?.code == .badResponse)
        }
    }

    @Test(arguments: ["HTTP/1.1 20", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"])
    func reportsEndWithinResponseHeadAsUnreachable(_ head: String) async throws {
        let server = try RawServer { socket in
            if socket.receiveHead() != nil { socket.send(head) }
        }
        try await withServer { origin, _, _ in
            let url = try ResourceURL("http://127.0.0.1:\(server.port)/a")
            let error = await failure { _ = try await origin.send(OriginRequest(url: url)) }
            #expect(error?.code == .unreachable, "\(error as Any)")
        }
    }

    /// libcurl would decode such bodies, so that few received bytes could become many.
    @Test func refusesTransferCodingsThatWerentRequested() async throws {
        try await withServer { origin, server, url in
            for coding in ["gzip, chunked", "gzip", "chunked, br"] {
                server.origin.next(url, .headerFields([.transferEncoding: coding]))
                let error = await failure { _ = try await read(origin.send(OriginRequest(url: url))) }
                #expect(error?.code == .badResponse, "\(coding): \(error as Any)")
            }
        }
    }

    @Test func discardsBytesPastAnnouncedLength() async throws {
        try await withServer { origin, server, url in
            server.origin.next(url, .bodyLonger(by: 1000))
            var answers = [try await read(origin.send(OriginRequest(url: url)))]
            // The server closes the connection. The next request may use the connection before that, fail, and be
            // retried.
            let error = await failure { answers.append(try await read(origin.send(OriginRequest(url: url)))) }
            #expect(error == nil || error?.code == .unreachable)
            answers.append(try await read(origin.send(OriginRequest(url: url))))
            #expect(answers == Array(repeating: "hello", count: error == nil ? 3 : 2))
        }
    }

    @Test func keepsOtherExchangesAfterCancellation() async throws {
        var state = UInt64.random(in: 0 ... .max)
        print("seed \(state)")
        let length: Int64 = 1 << 19
        let body = ScriptedBody.random(seed: 5, length: length)
        try await withServer(ScriptedResource(body)) { origin, _, url in
            // Connecting may take long on a busy machine.
            let patience = TransferLimits(connect: .seconds(600), firstByte: .seconds(600), stall: .seconds(600))
            let request = OriginRequest(url: url, limits: patience)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<200 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    let stop = Int64(state >> 33) % (length * 4 / 3)
                    let kind = index % 4
                    group.addTask {
                        let task = Task {
                            let response = try await origin.send(request)
                            var offset: Int64 = 0
                            while let buffer = try await response.body.next() {
                                #expect(buffer.withUnsafeBytes { body.matches($0, at: offset) })
                                offset += Int64(buffer.count)
                                if kind == 0, offset >= stop { response.body.cancel() }
                                if kind == 1, offset >= stop { return }
                            }
                            #expect(offset == length)
                        }
                        if kind == 2 {
                            for _ in 0..<stop % 50 { await Task.yield() }
                            task.cancel()
                        }
                        do {
                            try await task.value
                        } catch let error as CacheError {
                            #expect(error.code == .cancelled && kind != 3, "\(error)")
                        }
                    }
                    if index % 20 == 19 { try await group.next() }
                }
                try await group.waitForAll()
            }
            #expect(try await origin.send(OriginRequest(url: url)).status == 200)
        }
    }
}
