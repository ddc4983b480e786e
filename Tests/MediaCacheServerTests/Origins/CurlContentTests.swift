import Foundation
import HTTPTypes
import MediaCache
import MediaCacheCurl
import Synchronization
import TestSupport
import Testing

@testable import MediaCacheTesting

/// Tests of requests with content, as clients of an object store send them.
@Suite(.timeLimit(.minutes(30)))
struct CurlContentTests {
    private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    /// A temporary file with random bytes.
    private final class File {
        let path: String
        let bytes: [UInt8]

        init(length: Int) throws {
            var generator = SeededGenerator(seed: 7)
            bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            path = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID())").path()
            try Data(bytes).write(to: URL(filePath: path))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private func put(
        _ content: RequestContent, at target: String = "/a", port: Int, fields: HTTPFields = [:],
        limits: TransferLimits = TransferLimits()
    ) throws -> OriginRequest {
        var request = OriginRequest(
            url: try ResourceURL(scheme: "http", authority: "127.0.0.1:\(port)", target: target), headerFields: fields,
            limits: limits)
        request.method = .put
        request.content = content
        return request
    }

    private func failure(_ body: () async throws -> Void) async -> CacheError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? CacheError
        }
    }

    @Test func sendsSignedFileUnchanged() async throws {
        let (length, start) = (5 << 20, 1000)
        let file = try File(length: length + start + 10)
        let received = Mutex<(lines: [String], content: [UInt8])>(([], []))
        let server = try RawServer { socket in
            // Bytes beyond the content would become part of the next head.
            while let (lines, rest) = socket.receiveHead() {
                var content = rest
                while content.count < length, let more = socket.receive() { content += more }
                received.withLock { $0 = (lines, content) }
                socket.send(Self.empty)
            }
        }
        let fields: [(name: String, value: String)] = [
            ("Date", "Fri, 27 Nov 2026 08:00:00 GMT"), ("x-amz-date", "20261127T080000Z"),
            ("x-amz-content-sha256", "UNSIGNED-PAYLOAD"), ("x-amz-meta-Title", "a  b; c"),
            ("Authorization", "AWS4-HMAC-SHA256 Credential=k/20261127/r/s3/aws4_request, Signature=0aF/+="),
        ]
        var headerFields = HTTPFields()
        for field in fields {
            headerFields.append(HTTPField(name: try #require(HTTPField.Name(field.name)), value: field.value))
        }
        let target = "/bucket/a%2Fb/../c%20d//e?partNumber=1&uploadId=x%3D+~"
        let range = Int64(start)..<Int64(start + length)
        let origin = CurlOrigin()
        for content in [
            try RequestContent(path: file.path, range: range),
            RequestContent(Array(file.bytes[start..<start + length])),
        ] {
            let response = try await origin.send(
                put(content, at: target, port: server.port, fields: headerFields))
            #expect(response.status == 200)
            while try await response.body.next() != nil {}
            let (lines, sent) = received.withLock { $0 }
            #expect(lines.first == "PUT \(target) HTTP/1.1")
            let expected =
                ["Host: 127.0.0.1:\(server.port)", "Content-Length: \(length)"]
                + fields.map { "\($0.name): \($0.value)" }
            #expect(lines.dropFirst().sorted() == expected.sorted())
            #expect(sent == Array(file.bytes[start..<start + length]), "\(sent.count) bytes")
        }
        await origin.shutdown()
    }

    @Test func waitsForContinueResponseIfExpected() async throws {
        let server = try RawServer { socket in
            guard let (lines, rest) = socket.receiveHead(), lines.contains("Expect: 100-continue"), rest.isEmpty else {
                return
            }
            socket.send("HTTP/1.1 100 Continue\r\n\r\n")
            var content: [UInt8] = []
            while content.count < 5, let more = socket.receive() { content += more }
            if content == Array("hello".utf8) { socket.send(Self.empty) }
        }
        let origin = CurlOrigin()
        let response = try await origin.send(
            put(RequestContent(Array("hello".utf8)), port: server.port, fields: [.expect: "100-continue"]))
        #expect(response.status == 200)
        await origin.shutdown()
    }

    /// The server refuses the request after its head, while the client is still sending the content.
    @Test func returnsEarlyErrorResponse() async throws {
        let file = try File(length: 8 << 20)
        let server = try RawServer { socket in
            guard socket.receiveHead() != nil else { return }
            socket.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 6\r\n\r\nDenied")
            Thread.sleep(forTimeInterval: 0.3)
            while socket.receive() != nil {}
        }
        let origin = CurlOrigin()
        let response = try await origin.send(put(RequestContent(path: file.path), port: server.port))
        #expect(response.status == 403)
        var body: [UInt8] = []
        while let buffer = try await response.body.next() { body += buffer.withUnsafeBytes { Array($0) } }
        #expect(body == Array("Denied".utf8))
        await origin.shutdown()
    }

    /// Sending the content takes at least twice as long as each limit.
    @Test func limitsFirstByteTimeFromEndOfContent() async throws {
        let (slow, length) = (14 << 20, 18 << 20)
        let server = try RawServer { socket in
            socket.limitReceiveBuffer(to: 64 << 10)
            guard let (_, rest) = socket.receiveHead() else { return }
            var count = rest.count
            while count < length, let more = socket.receive() {
                count += more.count
                // The client considers the content sent as soon as the system has buffered the rest, which is therefore
                // received quickly.
                if count < slow { Thread.sleep(forTimeInterval: 0.01) }
            }
            socket.send(Self.empty)
        }
        let limits = TransferLimits(firstByte: .seconds(4), stall: .seconds(4))
        let origin = CurlOrigin()
        let request = try put(
            RequestContent([UInt8](repeating: 1, count: length)), port: server.port, limits: limits)
        let began = ContinuousClock.now
        #expect(try await origin.send(request).status == 200)
        let duration = ContinuousClock.now - began
        #expect(duration > .seconds(8), "the content was sent too fast to test the limits: \(duration)")
        await origin.shutdown()
    }

    @Test func limitsStallsOfContent() async throws {
        let isOver = DispatchSemaphore(value: 0)
        defer { isOver.signal() }
        let server = try RawServer { socket in
            guard socket.receiveHead() != nil else { return }
            isOver.wait()
        }
        let limits = TransferLimits(firstByte: .seconds(60), stall: .milliseconds(300))
        let origin = CurlOrigin()
        let request = try put(
            RequestContent([UInt8](repeating: 1, count: 16 << 20)), port: server.port, limits: limits)
        let error = await failure { _ = try await origin.send(request) }
        #expect(error?.code == .timedOut && error?.message.contains("content") == true, "\(error as Any)")
        await origin.shutdown()
    }

    @Test func limitsFirstByteTimeAfterContent() async throws {
        let server = try RawServer { socket in while socket.receive() != nil {} }
        let limits = TransferLimits(firstByte: .milliseconds(300), stall: .seconds(60))
        let origin = CurlOrigin()
        let request = try put(RequestContent([1, 2, 3]), port: server.port, limits: limits)
        let error = await failure { _ = try await origin.send(request) }
        #expect(error?.code == .timedOut && error?.message.contains("no response") == true, "\(error as Any)")
        await origin.shutdown()
    }

    @Test func failsIfFileBecomesTooShort() async throws {
        let file = try File(length: 1 << 20)
        #expect(throws: CacheError.self) { try RequestContent(path: file.path, range: 0..<(1 << 20) + 1) }
        #expect(throws: CacheError.self) { try RequestContent(path: file.path + "-missing") }
        let content = try RequestContent(path: file.path)
        #expect(content.length == 1 << 20)
        try FileHandle(forWritingTo: URL(filePath: file.path)).truncate(atOffset: 500_000)
        let server = try RawServer { socket in while socket.receive() != nil {} }
        let origin = CurlOrigin()
        let error = await failure { _ = try await origin.send(put(content, port: server.port)) }
        #expect(error?.code == .storage && error?.message.contains(file.path) == true, "\(error as Any)")
        await origin.shutdown()
    }

    @Test func closesIdleConnectionsAtShutdown() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try RawServer { socket in
            while socket.receiveHead() != nil { socket.send(Self.empty) }
            continuation.yield()
        }
        let origin = CurlOrigin()
        let url = try ResourceURL("http://127.0.0.1:\(server.port)/a")
        let response = try await origin.send(OriginRequest(url: url))
        while try await response.body.next() != nil {}
        await origin.shutdown()
        _ = await ends.first { _ in true }
        // The origin still exists, so its deallocation isn't the cause.
        withExtendedLifetime(origin) {}
    }
}
