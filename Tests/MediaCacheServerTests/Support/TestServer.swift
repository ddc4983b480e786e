import HTTPTypes
import Logging
import MediaCache
import NIOCore
import NIOEmbedded
import NIOPosix

@testable import MediaCacheServer

/// A route that says what it was asked.
struct EchoRoute: Route {
    let paths = ["/echo", "/open/"]
    let access: RouteAccess

    func respond(to request: RouteRequest) async throws -> RouteResponse {
        let text = "\(request.method.rawValue) \(request.path) \(request.query) \(request.body.count)"
        return RouteResponse(contentType: "text/plain", text: text)
    }
}

enum TestServer {
    static let key = AccessKey()

    static func context(
        _ source: any ByteReaderSource,
        routes: [any Route] = [HealthRoute(), EchoRoute(access: .key)],
        limits: ServerLimits = ServerLimits()
    ) -> ServerContext {
        ServerContext(
            source: source,
            access: AccessControl(key: key),
            hosts: HostPolicy(boundHost: "127.0.0.1", allowedHosts: ["media.example"]),
            profiles: HeaderProfileBook(base: TransferSettings()),
            router: Router(routes),
            limits: limits,
            metrics: ServerMetrics(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
    }

    /// A connection without a socket.
    static func connect(_ context: ServerContext) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try Listener.configure(channel.pipeline.syncOperations, server: context)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return channel
    }

    static func playPath(_ key: AccessKey = TestServer.key) -> String {
        "/play/\(key.value)/http/origin.example/a/film.mp4?x=1"
    }

    /// A request for the play path.
    static func request(_ method: String = "GET", _ fields: String..., version: String = "1.1") -> String {
        let all = ["Host: 127.0.0.1:9479"] + fields
        return "\(method) \(playPath()) HTTP/\(version)\r\n\(all.joined(separator: "\r\n"))\r\n\r\n"
    }
}

/// A response as it was on the wire.
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
}

extension EmbeddedChannel {
    /// Sends text as a client would.
    func send(_ text: String) throws {
        try writeInbound(ByteBuffer(string: text))
        embeddedEventLoop.run()
    }

    /// Everything written since this was last asked.
    func received() throws -> [UInt8] {
        embeddedEventLoop.run()
        var bytes: [UInt8] = []
        while let part = try readOutbound(as: IOData.self) {
            if case .byteBuffer(let buffer) = part { bytes += buffer.readableBytesView }
        }
        return bytes
    }

    /// Sends text and reads the one response to it.
    func exchange(_ text: String) throws -> RawResponse? {
        try send(text)
        return RawResponse(try received())
    }
}
