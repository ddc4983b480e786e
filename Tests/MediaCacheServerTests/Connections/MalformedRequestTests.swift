import Foundation
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOEmbedded
import TestSupport
import Testing

@testable import MediaCacheServer

struct MalformedRequestTests {
    private struct Case: Decodable {
        var name: String
        var input: String
        var expectsError: Bool
    }

    private struct Outcome {
        var statuses: [Int]
        var isOpen: Bool

        var isRefused: Bool { statuses.last == 400 || !isOpen }
    }

    /// A route with two bytes that are available immediately.
    private struct ProbeRoute: MediaRoute {
        let paths = ["/probe"]
        let access = RouteAccess.open

        func opener(for request: MediaRequest) throws -> any ReaderOpener { ProbeOpener() }
    }

    private struct ProbeOpener: ReaderOpener {
        let name = "the probe"

        func readerIfOpen(_ range: RequestedRange) throws -> (any ByteReader)? {
            try MemoryReader([1, 2], contentType: "video/mp4", range: range, name: name)
        }

        func reader(_ range: RequestedRange) async throws -> any ByteReader {
            try MemoryReader([1, 2], contentType: "video/mp4", range: range, name: name)
        }
    }

    private static let probe = "GET /probe HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private func cases() throws -> [Case] {
        let data = try Corpus.data("derived/http/llhttp-cases.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let cases = try decoder.decode([Case].self, from: data)
        #expect(cases.count == 131)
        return cases
    }

    private func outcome(of input: String) throws -> Outcome {
        let channel = try TestServer.connect(TestServer.context(FakeSource([1, 2, 3]), routes: [ProbeRoute()]))
        // Bytes after the server has closed the connection are lost, as on a socket.
        _ = try? channel.writeInbound(ByteBuffer(string: input))
        let text = String(decoding: try channel.received(), as: UTF8.self)
        // A status line directly follows the previous body.
        let statuses = text.ranges(of: "HTTP/1.").compactMap { Int(text[$0.upperBound...].dropFirst(2).prefix(3)) }
        return Outcome(statuses: statuses, isOpen: channel.isActive)
    }

    /// Adds a Host field to each request, because HTTP/1.1 requests without one are refused.
    private static func withHost(_ input: String) -> String {
        guard !input.lowercased().contains("host:") else { return input }
        return input.replacing("HTTP/1.1\r\n", with: "HTTP/1.1\r\nHost: localhost\r\n")
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora()))
    func refusesInvalidRequestsWith400OrClose() throws {
        for example in try cases() where example.expectsError {
            // The corpus omits the line endings at the end of each input.
            let input = example.input + "\r\n\r\n"
            let outcome = try outcome(of: input)
            let hosted = try self.outcome(of: Self.withHost(input))
            #expect(outcome.isRefused, "\(example.name): \(input.debugDescription) resulted in \(outcome)")
            #expect(hosted.isRefused, "\(example.name), with a host: \(input.debugDescription) resulted in \(hosted)")
        }
    }

    /// The expected statuses of valid requests, and whether the connection stays open. For other requests, the only
    /// status is 404, and the connection stays open.
    private static let answers: [String: (statuses: [Int], isOpen: Bool)] = [
        "Restarting when keep-alive is explicitly": ([404, 404], true),
        "Should parse multiple events": ([404, 404, 404], true),
        "Setting flag on `close`": ([404], false),
        "Funky `Content-Length` with body": ([404], false),
        // The parser is stricter than the corpus: it refuses tabs in a length and a missing version. The line endings
        // that the test appends to a chunked request without chunks are an invalid chunk size.
        "Tabs in `Content-Length` (surrounding)": ([400], false),
        "Parsing and setting flag": ([404], false),
        "No HTTP version": ([400], false),
        // The hosts of these requests aren't allowed.
        "CRLF between requests, explicit `close`": ([421], false),
        "M-SEARCH request": ([421], true),
        "PATCH request": ([421], true),
        "PURGE request": ([421], true),
        "SEARCH request": ([421], true),
        "LINK request": ([421], true),
        "SOURCE request": ([421], true),
        "SOURCE request with ICE": ([421], false),
        "OPTIONS request with RTSP": ([421], false),
        "ANNOUNCE request with RTSP": ([421], false),
        "QUERY request": ([421], true),
        "curl GET": ([421], true),
        "Firefox GET": ([421], true),
        "Apache bench GET": ([421], false),
        // The body is incomplete, so the connection waits for the rest of the 42 bytes.
        "Spaces in `Content-Length` (surrounding)": ([], true),
        // Their absolute targets contradict the Host field.
        "Host terminated by a query string": ([400], true),
        "`host:port` terminated by a query string": ([400], true),
        "`host:port` terminated by a space": ([400], true),
        "`host:port` and basic auth": ([400], true),
    ]

    /// Requests with an incomplete body, so that the bytes after them belong to the body.
    private static let incomplete: Set = [
        "Spaces in `Content-Length` (surrounding)", "Content-Length reset when no body is received",
    ]

    /// Each valid request gets one response, and the request that follows is recognized as a separate one.
    @Test(.enabled(if: try Prerequisite.hasCorpora()))
    func respondsToValidRequestsAndFindsTheirEnds() throws {
        let valid = try cases().filter { !$0.expectsError }
        #expect(valid.count == 68)
        var unused = Set(Self.answers.keys)
        for example in valid {
            let input = Self.withHost(example.input + "\r\n\r\n")
            let (statuses, isOpen) = Self.answers[example.name] ?? ([404], true)
            unused.remove(example.name)
            let outcome = try outcome(of: input)
            #expect(
                outcome.statuses == statuses && outcome.isOpen == isOpen,
                "\(example.name): \(input.debugDescription) resulted in \(outcome)")
            if !Self.incomplete.contains(example.name) {
                let followed = try self.outcome(of: input + Self.probe)
                let expected = isOpen ? statuses + [200] : statuses
                #expect(followed.statuses == expected, "\(example.name), followed: \(followed)")
            }
            let alone = try self.outcome(of: example.input + "\r\n\r\n")
            if !example.input.lowercased().contains("host:"), example.input.contains("HTTP/1.1") {
                #expect(alone.statuses.allSatisfy { $0 == 400 }, "\(example.name), without a host: \(alone)")
            }
        }
        #expect(unused.isEmpty)
    }

    @Test func survivesRandomBytes() throws {
        var generator = SeededGenerator(seed: 20_260_727)
        print("seed: 20260727")
        let starts = ["", "GET ", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n", "POST / HTTP/1.1\r\n"]
        for _ in 0..<300 {
            let start = starts[Int(generator.next() % UInt64(starts.count))]
            let noise = (0..<Int(generator.next() % 200)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            let channel = try TestServer.connect(TestServer.context(FakeSource([1, 2, 3])))
            _ = try? channel.writeInbound(ByteBuffer(bytes: Array(start.utf8) + noise))
            channel.embeddedEventLoop.advanceTime(by: .seconds(100))
            #expect(!channel.isActive)
        }
    }
}

/// Tests of the problem documents in responses to refused requests.
struct RefusalTests {
    private func problem(_ response: RawResponse?) throws -> Problem {
        let response = try #require(response)
        #expect(response.fields["content-type"] == Problem.contentType)
        #expect(response.fields["cache-control"] == "no-store")
        let problem = try response.decoded(Problem.self)
        #expect(problem.status == response.status && !problem.title.isEmpty && !problem.detail.isEmpty)
        return problem
    }

    @Test(arguments: [
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n", 401),
        ("DELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400), ("GET /healthz HTTP/1.1\r\n\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", 421),
        ("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("PUT /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 401),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 413),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n", 431),
        ("nonsense\r\n\r\n", 400),
    ])
    func sendsProblemWithRefusal(_ request: String, _ status: Int) async throws {
        // A route responds in a separate task, which an `EmbeddedChannel` doesn't allow.
        let channel = NIOAsyncTestingChannel()
        let peer = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
        let context = TestServer.context(FakeSource([1, 2, 3]))
        channel.remoteAddress = peer
        try await channel.testingEventLoop.executeInContext {
            try Listener.configure(channel.pipeline.syncOperations, server: context, unsentBytes: { _ in 0 })
            channel.connect(to: peer, promise: nil)
        }
        _ = try? await channel.writeInbound(ByteBuffer(string: request))
        var bytes: [UInt8] = []
        func isComplete(_ response: RawResponse) -> Bool {
            "\(response.body.count)" == response.fields["content-length"]
        }
        while RawResponse(bytes).map(isComplete) != true {
            guard case .byteBuffer(let part) = try await channel.readOutbound(as: IOData.self) else {
                await Task.yield()
                continue
            }
            bytes += part.readableBytesView
        }
        #expect(String(decoding: bytes, as: UTF8.self).ranges(of: "HTTP/1.1 ").count == 1)
        #expect(try problem(RawResponse(bytes)).status == status)
    }

    @Test func refusesTooManyConnectionsWith503() throws {
        let channel = EmbeddedChannel(handler: TooManyConnections())
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let buffer = try #require(try channel.readOutbound(as: ByteBuffer.self))
        let response = RawResponse(Array(buffer.readableBytesView))
        #expect(try problem(response).status == 503)
        #expect(response?.fields["retry-after"] == "5")
        #expect(response?.fields["content-length"] == "\(response?.body.count ?? -1)")
    }
}
