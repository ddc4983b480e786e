import MediaCache
import MediaCacheAPI
import MediaLibrary
import NIOCore
import NIOHTTP1
import Testing

@testable import MediaCacheServer

/// Tests of the addresses at which other devices reach the server, and of the hosts in its URLs.
struct NetworkAddressTests {
    private func address(_ text: String) throws -> NetworkAddress {
        let ip = try #require(IPAddress(text))
        return try #require(NetworkAddress(ip))
    }

    private func preferred(_ interfaces: [(String, String)], routed: String? = nil) throws -> [String] {
        NetworkAddress.preferred(
            try interfaces.map { (name: $0.0, address: try address($0.1)) }, routed: try routed.map { try address($0) }
        ).map { "\($0.ip)" }
    }

    @Test func prefersAddressOfDefaultRoute() throws {
        let interfaces = [("eth0", "10.0.0.7"), ("wlan0", "192.168.1.20"), ("wlan0", "fd00::7")]
        #expect(try preferred(interfaces) == ["10.0.0.7", "192.168.1.20"])
        #expect(try preferred(interfaces, routed: "192.168.1.20") == ["192.168.1.20", "10.0.0.7"])
        #expect(try preferred([("eth0", "fd00::7"), ("eth0", "2a02::7")], routed: nil) == ["fd00::7", "2a02::7"])
        #expect(try preferred([]) == [])
        let tunnel = [("wg0", "10.8.0.2"), ("wlan0", "192.168.1.20")]
        #expect(try preferred(tunnel, routed: "10.8.0.2") == ["192.168.1.20", "10.8.0.2"])
    }

    @Test func leavesOutBridgesUnlessThereIsNothingElse() throws {
        let bridges = [("docker0", "172.17.0.1"), ("br-0123456789ab", "172.18.0.1"), ("virbr0", "192.168.122.1")]
        #expect(try preferred(bridges + [("br-lan", "192.168.1.1")]) == ["192.168.1.1"])
        #expect(try preferred(bridges + [("wlan0", "169.254.3.4")]).count == 4)
        #expect(try preferred(bridges).count == 3)
    }

    @Test(arguments: [
        ("127.0.0.1", nil), ("::1", nil), ("0.0.0.0", nil), ("::", nil), ("fe80::1", nil),
        ("192.168.1.5", "http://192.168.1.5:9479"), ("::ffff:192.168.1.5", "http://192.168.1.5:9479"),
        ("::ffff:127.0.0.1", nil), ("fd00::5", "http://[fd00::5]:9479"),
    ])
    func otherDevicesReachNetworkAddresses(_ text: String, _ url: String?) throws {
        let ip = try #require(IPAddress(text))
        #expect(NetworkAddress(ip)?.url(port: 9479) == url)
    }

    @Test(arguments: [
        (["0.0.0.0"], ["http://10.0.0.7:80"]), (["0.0.0.0", "::"], ["http://10.0.0.7:80", "http://[fd00::7]:80"]),
        (["::"], ["http://10.0.0.7:80", "http://[fd00::7]:80"]), (["fd00::7"], ["http://[fd00::7]:80"]),
        (["127.0.0.1", "::1"], []), (["10.0.0.8"], []), ([], []),
    ])
    func listsAddressesOfListeningSockets(_ bound: [String], _ urls: [String]) throws {
        let addresses = ListenAddresses()
        addresses.set(try bound.map { try SocketAddress(ipAddress: $0, port: 80) })
        #expect(addresses.urls(in: [try address("10.0.0.7"), try address("fd00::7")]) == urls)
    }

    /// A route that responds with the base of the URLs in responses, and with the base of those for helper processes.
    private struct BaseRoute: Route {
        let paths = ["/base"]
        let access = RouteAccess.open
        let urls: ServerURLs

        func respond(to request: RouteRequest) async throws -> RouteResponse {
            RouteResponse(contentType: "text/plain", text: "\(urls.base ?? "") \(urls.direct.base ?? "")")
        }
    }

    /// Returns the two bases in the response of ``BaseRoute`` to a request that names a host.
    private func base(host: String?, scheme: String? = nil) async throws -> [String] {
        let addresses = ListenAddresses()
        addresses.set([try SocketAddress(ipAddress: "0.0.0.0", port: 9479)])
        let configuration = ServerConfiguration(host: "0.0.0.0", publicPath: "/tv")
        let urls = ServerURLs(
            addresses: addresses, access: AccessControl(key: AccessKey()), configuration: configuration)
        let head = HTTPRequestHead(
            version: .http1_0, method: .GET, uri: "/base",
            headers: HTTPHeaders(
                [("Host", host), ("X-Forwarded-Proto", scheme)].compactMap { name, value in
                    value.map { (name, $0) }
                }))
        let call = RouteCall(
            route: BaseRoute(urls: urls),
            request: RouteRequest(RequestGate(head), path: "/base", head, ByteBuffer()), isSecret: { _ in false },
            changes: ConcurrencyLimit())
        guard case .bytes(let bytes) = try await call.response().body else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
    }

    /// The host may be one that the server doesn't know, for example that of a machine that forwards a port to it.
    @Test func urlsHaveHostOfRequest() async throws {
        let own = "http://127.0.0.1:9479"
        #expect(try await base(host: "192.168.1.5:8080") == ["http://192.168.1.5:8080/tv", own])
        #expect(try await base(host: "[fd00::5]:9479") == ["http://[fd00::5]:9479/tv", own])
        #expect(try await base(host: "tv.example") == ["http://tv.example/tv", own])
        #expect(try await base(host: "tv.example", scheme: "https") == ["https://tv.example/tv", own])
        #expect(try await base(host: "tv.example", scheme: "javascript") == ["http://tv.example/tv", own])
        for host in [nil, "", "a@192.168.1.5", "192.168.1.5/x", "192.168.1.5:80/..", "192.168.1.5?", "a b"] {
            #expect(try await base(host: host) == ["\(own)/tv", own], "\(host ?? "none")")
        }
    }

    /// Connects to every address of this machine. URLs in responses have the host of the request.
    @Test func listensOnAllAddresses() async throws {
        try await CacheHost.use({ $0.host = "0.0.0.0" }) { host in
            let port = try #require(host.server.port)
            let own = host.server.boundAddresses
            #expect(own.first == "http://127.0.0.1:\(port)" && own.count <= 2)
            let network = await host.server.networkURLs()
            let info: ServerInfo = try await host.answer("GET", "/api/v1/server")
            #expect(Set(info.addresses) == Set(own + network))
            for address in own + network {
                let text = """
                    GET /api/v1/urls?url=http://origin.example/x.mp4 HTTP/1.1\r
                    Host: \(address.dropFirst("http://".count))\r
                    Connection: close\r
                    Authorization: Bearer \(host.key.value)\r
                    \r

                    """
                let response = try #require(try await LoopbackClient.exchange(address, text))
                let link = try response.decoded(PlayLink.self).playURL
                #expect(link.hasPrefix("\(address)/play/"), "\(link)")
            }
        }
    }
}
