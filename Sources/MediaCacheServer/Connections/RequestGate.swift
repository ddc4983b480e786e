import HTTPTypes
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOHTTP1

/// What every request has to pass: one host, an allowed one, and a target that is a path.
struct RequestGate {
    /// Path and query, without scheme and authority if the client sent them (RFC 9112 §3.2.2).
    let target: String
    /// The path, without the query.
    let path: String
    /// Whether the client wants to go on with something that isn't HTTP.
    let asksForTunnel: Bool
    /// The authority that the request names; nil in HTTP/1.0.
    let host: String?
    private let hasOneHost: Bool
    /// Whether an absolute target names the authority of the `Host` field.
    private let isConsistent: Bool

    init(_ head: HTTPRequestHead) {
        asksForTunnel = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
        let hosts = head.headers["Host"]
        hasOneHost = hosts.count == 1 || (hosts.isEmpty && head.version == .http1_0)
        if !head.uri.hasPrefix("/"), let url = try? ResourceURL(head.uri) {
            target = url.target
            host = url.authority
            isConsistent = hosts.allSatisfy { field in
                guard let named = try? ResourceURL("\(url.scheme)://\(field)/") else { return false }
                return (named.host, named.effectivePort) == (url.host, url.effectivePort)
            }
        } else {
            target = head.uri
            host = hosts.first
            isConsistent = true
        }
        // Most have neither, and characters are compared more slowly than bytes.
        let isBare = !target.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        path = isBare ? target : String(target.prefix { $0 != "?" && $0 != "#" })
    }

    /// The query without its `?`; empty if there is none.
    var query: String {
        guard path.utf8.count < target.utf8.count, let mark = target.firstIndex(of: "?") else { return "" }
        return String(target[target.index(after: mark)...].prefix { $0 != "#" })
    }

    /// Why the request may not pass, or nil.
    ///
    /// - Parameter verdict: on the host that was asked.
    func problem(_ verdict: HostVerdict) -> Problem? {
        guard hasOneHost else { return .badRequest("a request has exactly one Host field (RFC 9112 §3.2)") }
        guard isConsistent else {
            return .badRequest("the target and the Host field name different hosts (RFC 9112 §3.2.2)")
        }
        if !verdict.isAllowed { return .misdirected }
        guard target.hasPrefix("/") else { return .badRequest("the request's target isn't a path of this server") }
        return nil
    }
}

extension RouteRequest {
    /// A request that passed the gate, as routes see it. Fields whose names aren't tokens are left out.
    init(_ gate: RequestGate, path: String, _ head: HTTPRequestHead, _ body: ByteBuffer) {
        var fields = HTTPFields()
        for (name, value) in head.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(
            method: HTTPRequest.Method(rawValue: head.method.rawValue) ?? .get,
            path: path,
            query: gate.query,
            headerFields: fields,
            body: Array(body.readableBytesView)
        )
    }
}
