import Foundation
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

    /// What a server did with an input.
    private struct Outcome {
        var statuses: [Int]
        var isOpen: Bool

        var isRefused: Bool { statuses.last == 400 || !isOpen }
    }

    private func outcome(of input: String) throws -> Outcome {
        let channel = try TestServer.connect(TestServer.context(FakeSource([1, 2, 3])))
        // What comes after the server closed is lost, as on a socket.
        _ = try? channel.writeInbound(ByteBuffer(string: input))
        let text = String(decoding: try channel.received(), as: UTF8.self)
        let statuses = text.split(separator: "\r\n").filter { $0.hasPrefix("HTTP/1.") }
            .compactMap { Int($0.split(separator: " ")[1]) }
        return Outcome(statuses: statuses, isOpen: channel.isActive)
    }

    /// The input with a host, without which every request of HTTP/1.1 is refused.
    private static func withHost(_ input: String) -> String {
        guard !input.lowercased().contains("host:"), let line = input.firstRange(of: "\r\n") else { return input }
        return input.replacingCharacters(in: line, with: "\r\nHost: localhost\r\n")
    }

    @Test func errorsAreAnsweredWith400OrAClosedConnection() throws {
        guard let data = try Corpus.data("derived/http/llhttp-cases.json") else { return }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let cases = try decoder.decode([Case].self, from: data)
        #expect(cases.count == 131)
        for example in cases {
            // The corpus leaves out the line ends at an input's end.
            let input = example.input + "\r\n\r\n"
            let outcome = try outcome(of: input)
            let hosted = try self.outcome(of: Self.withHost(input))
            if example.expectsError {
                #expect(outcome.isRefused, "\(example.name): \(input.debugDescription) gave \(outcome)")
                #expect(hosted.isRefused, "\(example.name), with a host: \(input.debugDescription) gave \(hosted)")
            }
        }
    }

    @Test func noBytesCrashTheServer() throws {
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

/// What is refused before any route is asked has a problem document too.
struct RefusalTests {
    private func problem(_ response: RawResponse?) throws -> Problem {
        let response = try #require(response)
        #expect(response.fields["content-type"] == Problem.contentType)
        #expect(response.fields["cache-control"] == "no-store")
        let problem = try APICoding.makeDecoder().decode(Problem.self, from: Data(response.body))
        #expect(problem.status == response.status && !problem.title.isEmpty && !problem.detail.isEmpty)
        return problem
    }

    @Test(arguments: [
        ("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        ("GET /echo HTTP/1.1\r\nHost: localhost\r\n\r\n", 401),
        ("DELETE /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET /healthz HTTP/1.1\r\n\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", 421),
        ("CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("PUT /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n", 413),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n", 431),
        ("nonsense\r\n\r\n", 400),
    ])
    func aRefusalHasAProblemDocument(_ request: String, _ status: Int) async throws {
        let channel = try TestServer.connect(TestServer.context(FakeSource([1, 2, 3])))
        try? channel.send(request)
        // A route answers in a task of its own.
        var bytes = try channel.received()
        for _ in 0..<1000 where bytes.isEmpty {
            try await Task.sleep(for: .milliseconds(1))
            bytes = try channel.received()
        }
        #expect(String(decoding: bytes, as: UTF8.self).ranges(of: "HTTP/1.1 ").count == 1)
        #expect(try problem(RawResponse(bytes)).status == status)
    }

    @Test func tooManyConnectionsAreToldSo() throws {
        let channel = EmbeddedChannel(handler: TooManyConnections())
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        let buffer = try #require(try channel.readOutbound(as: ByteBuffer.self))
        let response = RawResponse(Array(buffer.readableBytesView))
        #expect(try problem(response).status == 503)
        #expect(response?.fields["retry-after"] == "5")
        #expect(response?.fields["content-length"] == "\(response?.body.count ?? -1)")
    }
}
