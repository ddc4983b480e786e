import Foundation
import MediaCache
import MediaCacheAPI
import MediaCacheTesting
import TestSupport
import Testing

@testable import MediaCacheServer

/// Tests of a server with a real store, over sockets.
struct CacheHostTests {
    private let origin = ScriptedOrigin()
    private let url: ResourceURL
    /// The media of all tests. It is generated once, because generation is slow.
    private static let allMedia: [UInt8] = {
        var generator = SeededGenerator(seed: 7)
        return (0..<375_000).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
    }()
    private var media: [UInt8] { Self.allMedia }
    private let folder = TestFolder()

    init() throws {
        url = try ResourceURL("http://origin.example/films/a%20film.mp4?sig=a%2Bb")
        origin[url] = ScriptedResource(.bytes(Self.allMedia))
    }

    private func withHost(
        _ change: (inout ServerConfiguration) -> Void = { _ in }, folder: String? = nil,
        _ body: (CacheHost) async throws -> Void
    ) async throws {
        try await CacheHost.use(folder: folder, origin: origin, change, body)
    }

    /// An origin without lengths and ranges sends the body once. The response to a request for a range has status 200.
    @Test(arguments: ["bytes=0-", "bytes=0-999", "bytes=100-"])
    func fetchesResourceOfUnknownLengthOnce(range: String) async throws {
        origin.always(url, .noContentLength, .ignoresRange)
        try await withHost { host in
            let response = try await host.play(url, "GET", "Range: \(range)")
            #expect(response.status == 200 && response.fields["transfer-encoding"] == "chunked")
            #expect(origin.bodyBytes == Int64(media.count))
            #expect(try await host.play(url).body.elementsEqual(media))
            #expect(origin.bodyBytes == Int64(media.count))
        }
    }

    /// An import whose process was killed leaves bytes in the folder.
    @Test func removesAbandonedBundleAtOpening() async throws {
        let folder = folder.path
        try FileManager.default.createDirectory(atPath: "\(folder)/incoming", withIntermediateDirectories: true)
        try Data("left".utf8).write(to: URL(filePath: "\(folder)/incoming/killed.part"))
        try await withHost(folder: folder) { _ in
            let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/incoming")
            #expect(names == [])
        }
    }

    @Test func playsWithUnwritableFolder() async throws {
        // A path below a file can't become a folder, even for root.
        try Data("a file instead of a folder".utf8).write(to: URL(filePath: folder.path))
        try await withHost(folder: "\(folder.path)/cache") { host in
            #expect(!host.store.isWritable)
            #expect(try await host.play(url).body == media)
            let part = try await host.play(url, "GET", "Range: bytes=-1000")
            #expect(part.status == 206 && part.body == Array(media.suffix(1000)))
        }
    }

    /// A server behind a reverse proxy listens on loopback, too. Its allowed hosts or public path show that it is
    /// exposed.
    @Test(
        arguments: [
            ([], "", true), (["localhost", "127.0.0.1:80", "[::1]"], "", true), (["media.example"], "", false),
            (["localhost", "media.example"], "", false), ([], "/media", false),
        ] as [([String], String, Bool)])
    func limitsStoreOfExposedServerToPublicAddresses(
        _ hosts: [String], _ publicPath: String, _ isAllowed: Bool
    ) async throws {
        let inner = try ResourceURL("http://192.168.1.7/film.mp4")
        origin[inner] = ScriptedResource(.bytes([1, 2, 3]), peer: .local)
        let change: (inout ServerConfiguration) -> Void = {
            $0.allowedHosts = hosts
            $0.publicPath = publicPath
        }
        let scope: AddressScope = isAllowed ? .any : .publicOnly
        let status = isAllowed ? 200 : 403
        try await withHost(change) { (host: CacheHost) async throws -> Void in
            #expect(host.store.transfers.scope == scope)
            #expect(try await host.play(inner).status == status)
            #expect(origin.requests(for: inner).isEmpty == !isAllowed)
            #expect(try await host.play(url).status == 200)
        }
    }

    @Test(arguments: ["/media", "media/"])
    func removesPublicPathFromLocalRequests(_ publicPath: String) async throws {
        try await withHost({ $0.publicPath = publicPath }) { (host: CacheHost) async throws -> Void in
            let address = try #require(host.server.boundAddresses.first)
            let play = String(try host.server.playURL(for: url).dropFirst(address.count))
            #expect(play.hasPrefix("/media/play/"))
            #expect(try await host.exchange("GET", play).body == media)
            #expect(try await host.call("GET", "/media/api/v1/server").status == 200)
            #expect(try await host.exchange("GET", "/media/api/v1/server").status == 401)
            #expect(try await host.exchange("GET", "/media/library/aaaaaaaaaaaa/").status == 403)
            #expect(try await host.exchange("GET", "/mediahealthz").status == 404)
            #expect(try await host.exchange("GET", "/media/healthz").status == 200)
        }
    }

    /// The proxy has already removed `/media`. If the server removed it again, `/media/media/metrics` would reach the
    /// metrics even if the proxy refuses `/media/metrics`.
    @Test(arguments: ["X-Forwarded-For: 203.0.113.7", "Host: cache.example"])
    func keepsPublicPathOfForwardedRequests(_ field: String) async throws {
        let change: (inout ServerConfiguration) -> Void = {
            $0.publicPath = "/media"
            $0.allowedHosts = ["cache.example"]
        }
        try await withHost(change) { (host: CacheHost) async throws -> Void in
            let address = try #require(host.server.boundAddresses.first)
            let fields = (field.hasPrefix("Host") ? [] : ["Host: localhost"]) + [field, "Connection: close"]
            for (path, status) in [("/media/metrics", 404), ("/metrics", 200)] {
                let request = "GET \(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n"
                #expect(try await LoopbackClient.exchange(address, request)?.status == status)
            }
        }
    }

    @Test(arguments: ["/play", "/api", "/api/v1", "/k", "/library", "/live/news"])
    func servesRoutesBelowPublicPath(_ publicPath: String) async throws {
        try await withHost({ $0.publicPath = publicPath }) { (host: CacheHost) async throws -> Void in
            #expect(try await host.play(url).body == media)
            #expect(try await host.call("GET", "/api/v1/server").status == 200)
            #expect(try await host.exchange("GET", "/k/wrong/library/aaaaaaaaaaaa/").status == 403)
        }
    }

    /// An app opens the store itself, and may choose any scope.
    @Test(arguments: [true, false])
    func limitsExposedServerToPublicAddresses(_ isExposed: Bool) async throws {
        let inner = try ResourceURL("http://192.168.1.7/film.mp4")
        origin[inner] = ScriptedResource(.bytes([1, 2, 3]), peer: .local)
        var cache = CacheConfiguration(location: CacheLocation(folder: folder.path))
        cache.transfers.retries.budget = 0
        let store = try await CacheStore.open(cache, origin: origin)
        let server = CacheServer(
            store: store, key: AccessKey(),
            configuration: ServerConfiguration(port: 0, publicPath: isExposed ? "/media" : "", runsDownloads: false))
        try await server.start()
        for (url, status) in [(inner, isExposed ? 403 : 200), (url, 200)] {
            let path = PlayTarget.path(for: url, token: server.playbackToken)
            let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let response = try await LoopbackClient.exchange(try #require(server.boundAddresses.first), request)
            #expect(response?.status == status, "\(url)")
        }
        #expect(origin.requests(for: inner).isEmpty == isExposed)
        await server.stop(grace: .zero)
        await store.close()
    }

    /// The user played local files before the server was exposed, or before a public document referred to them.
    @Test(arguments: [true, false])
    func refusesCachedBytesOfLocalAddresses(_ isExposed: Bool) async throws {
        let media = try ResourceURL("http://nas.example/film.mp4")
        let playlist = try ResourceURL("http://nas.example/list.m3u8")
        let list = try ResourceURL("http://nas.example/list.json")
        let bodies: [(ResourceURL, [UInt8], String)] = [
            (media, Array(Self.allMedia.prefix(4000)), "video/mp4"),
            (
                playlist, Array("#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n".utf8),
                "application/vnd.apple.mpegurl"
            ),
            (list, Array(#"{"ASSETS":[]}"#.utf8), "application/json"),
        ]
        for (url, bytes, type) in bodies {
            origin[url] = ScriptedResource(
                .bytes(bytes), contentType: type, cacheControl: "max-age=86400", peer: .local)
        }
        try await withHost(folder: folder.path) { host in
            for (url, _, _) in bodies {
                let response = try await host.play(url)
                #expect(response.status == 200, "\(url)")
            }
        }
        let requestCount = origin.requests.count
        func path(_ url: ResourceURL, _ host: CacheHost, _ document: StreamDocument.Kind? = nil) -> String {
            PlayTarget.path(
                for: url, token: host.server.playbackToken,
                options: PlayOptions(isPublicOnly: !isExposed, document: document))
        }
        try await withHost({ if isExposed { $0.publicPath = "/media" } }, folder: folder.path) { host in
            for _ in 0..<2 {
                for target in [path(media, host), path(playlist, host), path(list, host), path(list, host, .assets)] {
                    let response = try await host.exchange("GET", target)
                    #expect(response.status == 403, "\(target)")
                }
                let options = PlayOptions(isPublicOnly: !isExposed, isCachedOnly: true)
                for url in [media, playlist] {
                    let cached = PlayTarget.path(for: url, token: host.server.playbackToken, options: options)
                    let response = try await host.exchange("GET", cached)
                    #expect(response.status == 403, "\(url)")
                }
                guard isExposed else { continue }
                for url in [media, playlist] {
                    let body = #"{"url":"\#(url)"}"#
                    let probe = try await host.call("POST", "/api/v1/probe", body: body)
                    #expect(probe.status == 403, "\(url)")
                    let download = try await host.download(body)
                    #expect(download.state != .complete, "\(url)")
                }
            }
            #expect(origin.requests.count == requestCount)
        }
    }

    @Test func playsCachedResourceWithoutRequest() async throws {
        try await withHost { host in
            #expect(try await host.play(url).body == media)
            let requestCount = origin.requests.count
            #expect(try await host.play(url).body == media)
            let part = try await host.play(url, "GET", "Range: bytes=1000000-1999999")
            #expect(part.status == 206 && part.body == Array(media[1_000_000..<2_000_000]))
            #expect(try await host.play(url, "HEAD").fields["content-length"] == "3000000")
            #expect(origin.requests.count == requestCount)
            #expect(origin.requests.allSatisfy { $0.url == url })
        }
    }

    @Test func servesUncachedRange() async throws {
        try await withHost { host in
            let tail = try await host.play(url, "GET", "Range: bytes=-1000")
            #expect(tail.status == 206 && tail.body == Array(media.suffix(1000)))
            #expect(tail.fields["content-range"] == "bytes 2999000-2999999/3000000")
            #expect(try await host.play(url, "GET", "Range: bytes=3000000-").status == 416)
            let parts = try await host.play(url, "GET", "Range: bytes=0-9,1000000-1000009")
            #expect(parts.fields["content-type"]?.hasPrefix("multipart/byteranges") == true)
            #expect(parts.fields["content-length"] == "\(parts.body.count)")
        }
    }

    @Test func forwardsOriginStatus() async throws {
        try await withHost { host in
            origin[url] = nil
            let missing = try await host.play(url)
            #expect(missing.status == 404)
            origin.isReachable = false
            let unreachable = try await host.play(url)
            #expect(unreachable.status == 502)
        }
    }

    @Test func listensOnSamePortOfBothLoopbackAddresses() async throws {
        try await withHost { host in
            let port = try #require(host.server.port)
            let addresses = host.server.boundAddresses
            #expect(addresses.first == "http://127.0.0.1:\(port)")
            #expect(addresses.dropFirst().allSatisfy { $0 == "http://[::1]:\(port)" })
            for address in addresses {
                let text = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                #expect(try await LoopbackClient.exchange(address, text)?.status == 200)
            }
        }
    }

    @Test func errorContainsPortInUse() async throws {
        try await withHost { host in
            let port = try #require(host.server.port)
            let second = CacheServer(store: host.store, key: host.key, configuration: ServerConfiguration(port: port))
            let error = await #expect(throws: ServerError.self) { try await second.start() }
            #expect(error?.code == .portTaken && error?.message.contains("\(port)") == true)
            #expect(second.boundAddresses.isEmpty)
        }
    }

    @Test func listsAndRemovesResources() async throws {
        try await withHost { host in
            #expect(try await host.play(url).status == 200)
            let list: ResourceList = try await host.answer("GET", "/api/v1/resources")
            let record = try #require(list.resources.first)
            #expect(list.resources.count == 1)
            #expect(record.url == url.description && record.format == "mp4")
            #expect(record.length == 3_000_000 && record.complete)
            #expect(record.spans == [ByteSpan(start: 0, end: 3_000_000)])
            let one = "/api/v1/resources/\(record.id)"
            #expect(try await host.call("GET", one).status == 200)
            #expect(try await host.call("GET", "/api/v1/resources?state=partial").body.count < 30)
            let encoded = APIClient.escape(url.description)
            #expect(try await host.call("GET", "/api/v1/resources?url=\(encoded)").status == 200)
            #expect(try await host.answer("PUT", one + "/pin", as: ResourceRecord.self).pinned)
            #expect(try await host.answer("DELETE", "/api/v1/resources", as: RemovalList.self).removed.isEmpty)
            #expect(try await host.call("DELETE", one + "/pin").status == 200)
            #expect(try await host.call("DELETE", one).status == 200)
            let removal = try await host.call("GET", one)
            #expect(removal.status == 404 && removal.fields["content-type"] == Problem.contentType)
            #expect(try removal.decoded(Problem.self).code == "notFound")
        }
    }

    @Test func respondsToOtherAPIRequests() async throws {
        try await withHost { host in
            #expect(try await host.play(url).status == 200)
            #expect(try await host.answer("GET", "/api/v1/usage", as: Usage.self).resources == 1)
            #expect(try await host.call("POST", "/api/v1/prune").status == 200)
            let report: VerifyReport = try await host.answer("POST", "/api/v1/verify", body: #"{"repair": false}"#)
            #expect(report.findings.isEmpty)
            let info: ServerInfo = try await host.answer("GET", "/api/v1/server")
            #expect(info.addresses == host.server.boundAddresses)
            let link: PlayLink = try await host.answer("GET", "/api/v1/urls?url=http://me:secret@origin.example/x.mp4")
            let profile = "profile=\(ProfileIdentity(user: "me"))"
            #expect(link.playURL.hasSuffix("/play/\(host.server.playbackToken);\(profile)/http/origin.example/x.mp4"))
            let update = #"{"origin": "http://origin.example", "headers": {"Referer": "http://page.example/"}}"#
            #expect(try await host.call("PUT", "/api/v1/header-profiles", body: update).status == 204)
            #expect(try await host.call("DELETE", "/api/v1/usage").status == 405)
        }
    }

    @Test func countsRequestsWithoutURLsInMetrics() async throws {
        try await withHost { host in
            #expect(try await host.play(url).status == 200)
            let text = try await host.call("GET", "/metrics").text
            #expect(text.contains("mediacache_http_responses_total{route=\"play\",code=\"2xx\"} 1\n"))
            #expect(text.contains("mediacache_http_body_bytes_total{route=\"play\"} 3000000\n"))
            #expect(text.contains("mediacache_origin_bytes_total 3000000\n"))
            #expect(!text.contains("origin.example") && !text.contains(host.key.value))
        }
    }

    @Test func finishesRunningResponseWhenStopping() async throws {
        try await withHost { host in
            let path = PlayTarget.path(for: url, token: host.server.playbackToken)
            let address = try #require(host.server.boundAddresses.first)
            let client = try await LoopbackClient(to: address)
            let server = host.server
            let stopping = OnceTask()
            let bytes = try await client.receiveAll(after: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n") { _ in
                stopping.start { await server.stop(grace: .seconds(60)) }
            }
            #expect(RawResponse(bytes)?.body == media)
            await stopping.finish()
            #expect(host.server.boundAddresses.isEmpty)
            // Another server may already use the port.
            let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let answer = try? await LoopbackClient.exchange(address, request)
            #expect(answer?.body != media)
        }
    }

    /// The system sends the resource directly from its file, which is deleted only after its reader ends.
    @Test(.timeLimit(.minutes(30))) func sendsRemovedResourceWhole() async throws {
        let large = Array(repeatElement(media, count: 8).joined())
        let url = try ResourceURL("http://origin.example/large.mp4")
        origin[url] = ScriptedResource(.bytes(large))
        try await withHost { host in
            #expect(try await host.play(url).body == large)
            let path = PlayTarget.path(for: url, token: host.server.playbackToken)
            let client = try await LoopbackClient(to: try #require(host.server.boundAddresses.first))
            let removing = OnceTask()
            let store = host.store
            let request = "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            let bytes = try await client.receiveAll(after: request) { _ in
                removing.start { _ = try? await store.remove(keys: [store.key(for: url)]) }
            }
            await removing.finish()
            #expect(RawResponse(bytes)?.body == large)
            while try await store.resource(for: url) != nil { await Task.yield() }
        }
    }

    @Test func startsAfterRunningStop() async throws {
        try await withHost({ $0.runsDownloads = false }) { host in
            let server = host.server
            let address = try #require(server.boundAddresses.first)
            let (stopping, starting) = (OnceTask(), OnceTask())
            let fields = [
                "Host: localhost", "Authorization: Bearer \(host.key.value)", "Content-Length: 2",
                "Expect: 100-continue",
            ]
            let head = "POST /api/v1/downloads HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n"
            // The stop waits for the body of the request.
            let begin: @Sendable () async -> Void = {
                stopping.start { await server.stop(grace: .seconds(60)) }
                while server.isListening { await Task.yield() }
                starting.start { _ = try? await server.start() }
            }
            let client = try await LoopbackClient(to: address)
            let bytes = try await client.receiveAll(after: head, andWhenReceived: 1, do: begin, send: "{}")
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("HTTP/1.1 100 "))
            await stopping.finish()
            await starting.finish()
            #expect(server.isListening)
            #expect(try await host.exchange("GET", "/healthz").status == 200)
        }
    }

    @Test func endsReadSessionOfDisconnectedPlayer() async throws {
        try await withHost { host in
            let path = PlayTarget.path(for: url, token: host.server.playbackToken)
            let client = try await LoopbackClient(to: try #require(host.server.boundAddresses.first))
            try await client.disconnect(after: "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while host.store.statistics.openReads > 0 { await Task.yield() }
            #expect(host.store.statistics.reads == 1)
        }
    }
}
