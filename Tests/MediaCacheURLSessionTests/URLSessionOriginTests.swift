import Foundation
import HTTPTypes
import MediaCache
import MediaCacheTesting
import Synchronization
import Testing

@testable import MediaCacheURLSession

@Suite(.timeLimit(.minutes(30)))
struct URLSessionOriginTests {
    private func serve(_ target: String, _ resource: ScriptedResource, at server: ScriptedOriginServer) throws
        -> ResourceURL
    {
        let url = try server.url(target)
        server.origin[url] = resource
        return url
    }

    private func read(_ body: any OriginBody) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let buffer = try await body.next() { bytes += buffer.withUnsafeBytes { Array($0) } }
        return bytes
    }

    @Test(arguments: [
        ("/a%2Fb//c?x=%20+&y=a=b", "/a%2Fb//c?x=%20+&y=a=b"), ("/a b", "/a%20b"), ("/\u{E9}", "/%C3%A9"),
        ("/a?b|c", "/a?b%7Cc"), ("/a..b/...", "/a..b/..."), ("/%e9", "/%e9"),
    ])
    func sendsTargetUnchangedOrPercentEncoded(_ target: String, _ sent: String) throws {
        let url = try ResourceURL(scheme: "https", authority: "media.example:8443", target: target)
        #expect(try RequestURL.url(of: url).absoluteString == "https://media.example:8443\(sent)")
    }

    @Test(arguments: ["/a/../b", "/./a", "/a/..", "/%", "/%zz", "/a%2"])
    func refusesTargetThatURLSessionWouldChange(_ target: String) throws {
        let url = try ResourceURL(scheme: "https", authority: "media.example", target: target)
        #expect { try RequestURL.url(of: url) } throws: { ($0 as? CacheError)?.code == .invalidURL }
    }

    @Test func sendsUserInformationAsAuthorization() async throws {
        let server = try ScriptedOriginServer()
        defer { server.stop() }
        let url = try serve("/a", ScriptedResource(.text("x")), at: server)
        let origin = URLSessionOrigin()
        defer { origin.shutdown() }
        let named = try ResourceURL("http://me:secret@\(url.authority)/a")
        _ = try await read(origin.send(OriginRequest(url: named)).body)
        #expect(server.origin.requests.first?.headerFields[.authorization] == "Basic bWU6c2VjcmV0")
    }

    @Test func sendsRangeOfFile() async throws {
        let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let file = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID())")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try ScriptedOriginServer()
        defer { server.stop() }
        let origin = URLSessionOrigin()
        defer { origin.shutdown() }
        var request = OriginRequest(url: try serve("/a", ScriptedResource(.text("x")), at: server))
        request.method = .post
        request.content = try RequestContent(path: file.path(), range: 1000..<500_000)
        _ = try await read(origin.send(request).body)
        let sent = try #require(server.origin.requests.first)
        #expect(sent.content == Array(bytes[1000..<500_000]))
        #expect(sent.headerFields[.contentType] == nil && sent.headerFields[.expect] == nil)
        // URLSession would hold the whole content in memory.
        request.content = RequestContent([UInt8](repeating: 0, count: (16 << 20) + 1))
        await #expect { try await origin.send(request) } throws: { ($0 as? CacheError)?.code == .invalidSetting }
        #expect(server.origin.requests.count == 1)
    }

    @Test func reportsExchangeMetrics() async throws {
        let server = try ScriptedOriginServer()
        defer { server.stop() }
        let url = try serve("/a", ScriptedResource(.random(seed: 1, length: 100_000)), at: server)
        let (stream, continuation) = AsyncStream.makeStream(of: ExchangeMetrics.self)
        var settings = URLSessionSettings()
        settings.onMetrics = { continuation.yield($0) }
        let origin = URLSessionOrigin(settings: settings)
        defer { origin.shutdown() }
        #expect(try await read(origin.send(OriginRequest(url: url)).body).count == 100_000)
        let metrics = try #require(await stream.first { _ in true })
        #expect(metrics.url.description == url.description && metrics.bytes == 100_000)
        #expect(try #require(metrics.timeToHead) <= metrics.duration)
    }

    @Test func sendsNothingAfterShutdown() async throws {
        let server = try ScriptedOriginServer()
        defer { server.stop() }
        let url = try serve("/a", ScriptedResource(.text("x")), at: server)
        let origin = URLSessionOrigin()
        origin.shutdown()
        await #expect { try await origin.send(OriginRequest(url: url)) } throws: {
            ($0 as? CacheError)?.code == .closed
        }
        #expect(server.origin.requests.isEmpty)
    }

    @Test func classifiesHostNamesByResolvedAddresses() async throws {
        let hosts = HostAddresses(time: SystemTime())
        #expect(try await hosts.resolve("localhost", allowing: []).kind == .local)
        #expect(try await hosts.resolve("localhost", allowing: []).isForbidden)
        let loopback = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }
        #expect(try await !hosts.resolve("localhost", allowing: loopback).isForbidden)
        #expect(try await hosts.resolve("[2001:4860:4860::8888]", allowing: []).kind == .global)
        // An unresolvable name isn't treated as public.
        let unknown = try await hosts.resolve("nowhere.invalid", allowing: [])
        #expect(unknown.kind == .unknown && unknown.isForbidden)
    }

    /// The error is retryable, so that downloads wait for a network instead of failing.
    @Test func reportsUnresolvedNameAsUnreachable() async throws {
        let origin = URLSessionOrigin()
        defer { origin.shutdown() }
        let url = try ResourceURL("http://nowhere.invalid/a")
        await #expect { try await origin.send(OriginRequest(url: url, scope: .publicOnly)) } throws: { error in
            let error = error as? CacheError
            return error?.code == .unreachable && error?.isRetryable == true
        }
    }

    #if !canImport(Darwin)
        @Test func slowReaderReceivesBufferedBytesThenFails() async throws {
            let server = try ScriptedOriginServer()
            defer { server.stop() }
            let length: Int64 = 64 << 20
            let body = ScriptedBody.random(seed: 2, length: length)
            let url = try serve("/a", ScriptedResource(body), at: server)
            let (stream, continuation) = AsyncStream.makeStream(of: ExchangeMetrics.self)
            var settings = URLSessionSettings()
            settings.onMetrics = { continuation.yield($0) }
            let origin = URLSessionOrigin(settings: settings)
            defer { origin.shutdown() }
            let response = try await origin.send(OriginRequest(url: url))
            // Reads the body only after the transfer has ended.
            _ = await stream.first { _ in true }
            var bytes: [UInt8] = []
            await #expect {
                while let buffer = try await response.body.next() { bytes += buffer.withUnsafeBytes { Array($0) } }
            } throws: { ($0 as? CacheError)?.code == .unreachable }
            #expect(bytes.count >= 4 << 20 && bytes.count < 6 << 20)
            #expect(body.matches(bytes))
        }
    #endif
}
