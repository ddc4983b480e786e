import Foundation
import HTTPTypes
import Logging
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization

@testable import MediaCacheServer

/// A route whose response describes the request.
struct EchoRoute: Route {
    let paths = ["/echo", "/open/"]
    let access: RouteAccess

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let text = "\(request.method.rawValue) \(request.path) \(request.query) \(request.body.count)"
        return RouteResponse(contentType: "text/plain", text: text)
    }
}

extension Logger {
    static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

/// The warnings and errors that a logger receives.
final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var messages: [String] { recorded.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel = Logger.Level.warning
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { recorder.recorded.withLock { $0.append("\(event.message)") } }
    }
}

/// The number of unsent bytes that a connection without a socket reports.
final class UnsentBytes {
    var count = 0
}

enum TestServer {
    static let key = AccessKey()
    static let token = AccessControl(key: key).playbackToken

    static func context(
        _ source: any ByteReaderSource, routes: [any Route] = [HealthRoute(), EchoRoute(access: .key)],
        limits: ServerLimits = ServerLimits(), isExposed: Bool = false,
        access: AccessControl = AccessControl(key: key), pool: NIOThreadPool = .singleton
    ) -> ServerContext {
        let profiles = HeaderProfileStore(base: TransferSettings())
        return ServerContext(
            access: access,
            hosts: HostPolicy(boundHost: "127.0.0.1", allowedHosts: ["media.example"], isExposed: isExposed),
            router: Router(
                routes + [PlayRoute(source: source, profiles: profiles, control: access, fragments: FragmentService())]),
            limits: limits,
            metrics: ServerMetrics(), pool: pool, logger: .silent)
    }

    /// Returns a connection without a socket.
    static func connect(
        _ context: ServerContext, unsent: UnsentBytes = UnsentBytes(), from peer: String = "127.0.0.1"
    ) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try Listener.configure(channel.pipeline.syncOperations, server: context, unsentBytes: { _ in unsent.count })
        channel.remoteAddress = try SocketAddress(ipAddress: peer, port: 1)
        channel.connect(to: try SocketAddress(ipAddress: peer, port: 1), promise: nil)
        return channel
    }

    static func playPath(_ token: String = TestServer.token) -> String {
        "/play/\(token)/http/origin.example/a/film.mp4?x=1"
    }

    /// Returns the text of a request for the play path.
    static func request(_ method: String = "GET", _ fields: String..., version: String = "1.1") -> String {
        let all = ["Host: 127.0.0.1:9479"] + fields
        return "\(method) \(playPath()) HTTP/\(version)\r\n\(all.joined(separator: "\r\n"))\r\n\r\n"
    }
}

/// A response parsed from its bytes.
struct RawResponse {
    var status: Int
    var fields: [String: String]
    var body: [UInt8]

    init?(_ bytes: [UInt8]) {
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        self.status = status
        fields = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            fields[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].dropFirst())
        }
        body = Array(bytes[end.upperBound...])
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try APICoding.makeDecoder().decode(type, from: Data(body))
    }
}

extension EmbeddedChannel {
    func send(_ text: String) throws {
        try writeInbound(ByteBuffer(string: text))
        embeddedEventLoop.run()
    }

    /// Returns all bytes written since the last call.
    func received() throws -> [UInt8] {
        embeddedEventLoop.run()
        var bytes: [UInt8] = []
        while let part = try readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = part { bytes += buffer.readableBytesView }
        }
        return bytes
    }

    func exchange(_ text: String) throws -> RawResponse? {
        try send(text)
        return RawResponse(try received())
    }
}
