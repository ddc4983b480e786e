import HTTPTypes
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOHTTP1

/// The checks that every request must pass: exactly one `Host` field (optional in HTTP/1.0), an allowed host, and a
/// path or a URL with the same host as its target.
struct RequestGate {
    /// The path and query. The scheme and authority of an absolute target (RFC 9112 §3.2.2) are removed, and so is the
    /// public path of a request that didn't pass through the proxy.
    let target: String
    /// The path, without the query.
    let path: String
    /// Whether the client requests an upgrade or a tunnel.
    let requestsTunnel: Bool
    /// The authority in the request; nil if there is none, as HTTP/1.0 allows.
    let host: String?
    private let hasOneHost: Bool
    /// Whether an absolute target has the same authority as the `Host` field.
    private let isConsistent: Bool

    init(_ head: HTTPRequestHead, publicPath: String = "", hasLocalPeer: Bool = false) {
        requestsTunnel = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
        let hosts = head.headers["Host"]
        hasOneHost = hosts.count == 1 || (hosts.isEmpty && head.version == .http1_0)
        let received: String
        let host: String?
        if !head.uri.hasPrefix("/"), let url = try? ResourceURL(head.uri) {
            received = url.target
            host = url.authority
            isConsistent = hosts.allSatisfy { field in
                guard let named = try? ResourceURL("\(url.scheme)://\(field)/") else { return false }
                return (named.host, named.effectivePort) == (url.host, url.effectivePort)
            }
        } else {
            received = head.uri
            host = hosts.first
            isConsistent = true
        }
        self.host = host
        // A proxy has already removed the public path. Removing it twice would open paths that the proxy refuses.
        let isDirect =
            !publicPath.isEmpty && hasLocalPeer && host.map(HostPolicy.isLoopback) ?? true
            && !HostPolicy.wasForwarded(head.headers)
        target = isDirect ? Self.target(received, below: publicPath) : received
        // Comparing bytes is faster than comparing characters, and most targets have neither a query nor a fragment.
        let isBare = !target.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        path = isBare ? target : String(target.prefix { $0 != "?" && $0 != "#" })
    }

    /// Returns a target without the public path; the target itself if it isn't below that path.
    private static func target(_ target: String, below publicPath: String) -> String {
        let rest = target.utf8.dropFirst(publicPath.utf8.count)
        guard target.utf8.starts(with: publicPath.utf8), rest.first == UInt8(ascii: "/") else { return target }
        return String(Substring(rest))
    }

    var query: String {
        guard path.utf8.count < target.utf8.count, let mark = target.firstIndex(of: "?") else { return "" }
        return String(target[target.index(after: mark)...].prefix { $0 != "#" })
    }

    /// Returns the problem of a request that fails a check; nil if it passes.
    func problem(_ verdict: HostVerdict) -> Problem? {
        guard hasOneHost else { return .badRequest("a request must have exactly one Host field (RFC 9112 §3.2)") }
        guard isConsistent else {
            return .badRequest("the request target and the Host field have different hosts (RFC 9112 §3.2.2)")
        }
        if !verdict.isAllowed { return .misdirected }
        guard target.hasPrefix("/") else { return .badRequest("the request target must be a path on this server") }
        return nil
    }
}

extension RouteRequest {
    /// Creates the request of a route. Fields with invalid names are omitted.
    init(_ gate: RequestGate, path: String, _ head: HTTPRequestHead, _ body: ByteBuffer) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            method: HTTPRequest.Method(rawValue: head.method.rawValue) ?? .get, path: path, query: gate.query,
            headerFields: fields, body: Array(body.readableBytesView))
        // Whatever else a field contains isn't part of a URL.
        let scheme = head.headers.first(name: "X-Forwarded-Proto")?.lowercased() == "https" ? "https" : "http"
        let named = gate.host.flatMap { try? ResourceURL("\(scheme)://\($0)/") }
        serverURL = named.flatMap { $0.userInfo == nil && $0.target == "/" ? "\(scheme)://\($0.authority)" : nil }
    }
}

/// A request's path, with an optional token before it: `/k/<token>/library/…`.
struct ReaderPath {
    static let prefix = PlayPath.tokenPrefix

    /// The token as sent. It isn't checked yet.
    let token: Substring?
    let path: String

    init(_ path: String) {
        guard path.hasPrefix(Self.prefix), let end = path.dropFirst(Self.prefix.count).firstIndex(of: "/") else {
            token = nil
            self.path = path
            return
        }
        token = path[..<end].dropFirst(Self.prefix.count)
        self.path = String(path[end...])
    }
}
