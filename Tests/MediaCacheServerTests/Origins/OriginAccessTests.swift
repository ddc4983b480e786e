import HTTPTypes
import MediaCache
import MediaCacheAPI
import MediaCacheCurl
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// Tests of the access rule at the HTTP client's sockets: no byte of a refused request is sent.
@Suite(.timeLimit(.minutes(30)))
struct OriginAccessTests {
    private static let text = ScriptedResource(.text("hello"), contentType: "text/plain")

    /// Returns the error of a request; nil if the response is 200.
    private func failure(_ origin: CurlOrigin, _ request: OriginRequest) async -> CacheError? {
        do {
            let response = try await origin.send(request)
            while try await response.body.next() != nil {}
            #expect(response.status == 200)
            return nil
        } catch {
            return CacheError.wrap(error, as: .unreachable, "failed")
        }
    }

    @Test(arguments: [
        "127.0.0.1", "127.1", "2130706433", "0x7f000001", "localhost", "inner.example", "public.example@127.0.0.1",
    ])
    func refusesLocalAddressesInPublicScope(_ host: String) async throws {
        let server = try ScriptedOriginServer()
        let origin = try CurlOrigin(settings: .init(), hostAddresses: ["inner.example": "127.0.0.1"])
        let url = try ResourceURL("http://\(host):\(server.port)/a")
        server.origin[url] = Self.text
        let error = await failure(origin, OriginRequest(url: url, scope: .publicOnly))
        #expect(error?.code == .forbiddenAddress, "\(error as Any)")
        #expect(server.origin.requests.isEmpty)
        if IPAddress(host: url.host)?.description == url.host || IPAddress(host: url.host) == nil {
            // Whether the other spellings can be contacted depends on the resolver.
            #expect(await failure(origin, OriginRequest(url: url))?.code == nil)
        }
        await origin.shutdown()
        server.stop()
    }

    /// The address is checked after the name is resolved, and before the socket connects.
    @Test(arguments: ["http", "https"], ["127.0.0.1", "inner.example"])
    func doesNotConnectToLocalAddress(_ scheme: String, _ host: String) async throws {
        let server = try ScriptedOriginServer()
        let origin = try CurlOrigin(settings: .init(), hostAddresses: ["inner.example": "127.0.0.1"])
        let url = try ResourceURL("\(scheme)://\(host):\(server.port)/a")
        let error = await failure(origin, OriginRequest(url: url, scope: .publicOnly))
        #expect(error?.code == .forbiddenAddress, "\(error as Any)")
        #expect(host == "127.0.0.1" || error?.message.contains("127.0.0.1") == false)
        #expect(server.acceptedConnections == 0)
        await origin.shutdown()
        server.stop()
    }

    @Test func refusesLocalHostsThroughUpstreamProxy() async throws {
        let proxy = try ScriptedOriginServer()
        let origin = try CurlOrigin(settings: .init(proxy: UpstreamProxy(host: "127.0.0.1", port: proxy.port)))
        let hosts = [
            "127.0.0.1", "127.1", "0x7f.1", "017700000001", "2130706433", "127.0.0.1.", "%31%32%37.0.0.1", "[::1]",
            "[::ffff:10.0.0.1]", "[64:ff9b::10.0.0.1]", "localhost", "LOCALHOST.", "a.localhost", "tuner.local",
            "tuner", "nas.lan", "router.home.arpa", "metadata.google.internal", "１２７.0.0.1", "public.example@10.0.0.1",
        ]
        for host in hosts {
            let url = try ResourceURL("http://\(host)/a")
            proxy.origin[url] = Self.text
            let error = await failure(origin, OriginRequest(url: url, scope: .publicOnly))
            #expect(error?.code == .forbiddenAddress, "\(host): \(error as Any)")
        }
        #expect(proxy.acceptedConnections == 0)
        // Names that the user provides are resolved by the proxy.
        let named = try ResourceURL("http://tuner.local/a")
        #expect(await failure(origin, OriginRequest(url: named))?.code == nil)
        let other = try ResourceURL("http://media.example/a")
        proxy.origin[other] = Self.text
        #expect(await failure(origin, OriginRequest(url: other, scope: .publicOnly))?.code == nil)
        await origin.shutdown()
        proxy.stop()
    }
}
