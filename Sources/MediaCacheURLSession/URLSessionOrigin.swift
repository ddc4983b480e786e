import Foundation
import HTTPTypes
public import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An origin over the system's `URLSession`, for the store of an app on Apple platforms.
///
/// It uses the proxies, VPN and Low Data Mode that the user has configured, uses HTTP/2 and HTTP/3 if the origin
/// supports them, and stores neither cookies nor responses. Certificates are always verified. If a reader stops
/// reading, the task is suspended with at most 512 KiB buffered.
///
/// `URLSession` has these limitations:
/// - If the path of a URL contains a dot segment, or the URL contains a `%` without two hexadecimal digits,
///   ``send(_:)`` throws `CacheError` with `invalidURL`. Other characters that aren't allowed in URLs are
///   percent-encoded.
/// - The system decodes `gzip`, `deflate` and `br`. A whole encoded body is returned decoded, without
///   `Content-Encoding` and `Content-Length`. A range of one throws `badResponse`.
/// - The connected address isn't known before the request has been sent. `AddressScope.publicOnly` is checked against
///   the addresses that the host's name resolves to before the request; they are cached for a minute. The lookup isn't
///   part of the request's time limits. If only a proxy can resolve the name, such a request is refused.
///
/// On Linux it exists only for the contract tests of origins, because FoundationNetworking can't pause a transfer. A
/// reader that falls 4 MiB behind receives those bytes and then `unreachable`, after which the engine requests the
/// rest. The system may continue to receive discarded bytes for a while. Servers use `AsyncHTTPClientOrigin`.
public final class URLSessionOrigin: Origin {
    private let settings: URLSessionSettings
    private let time: any TimeSource
    private let source: SessionSource
    private let hosts: HostAddresses

    /// Creates an origin, which connects at the first request.
    ///
    /// - Parameters:
    ///   - settings: The networks that may be used, and how.
    ///   - time: The clock for the time limits.
    public init(settings: URLSessionSettings = URLSessionSettings(), time: any TimeSource = SystemTime()) {
        self.settings = settings
        self.time = time
        source = SessionSource(settings)
        hosts = HostAddresses(time: time)
    }

    deinit { source.shutdown() }

    /// Sends a request; see `Origin.send(_:)`. User information in the URL becomes `Authorization: Basic` (RFC 7617)
    /// unless that field is set.
    ///
    /// The limit for the response head is the sum of `limits.connect` and `limits.firstByte`, because the session
    /// doesn't report when it has connected.
    ///
    /// - Throws: `CacheError` with `invalidURL`, `forbiddenAddress`, `unreachable`, `timedOut`, `badResponse`,
    ///   `cancelled`, or `closed` after ``shutdown()``.
    public func send(_ request: OriginRequest) async throws -> OriginResponse {
        var prepared = try Self.prepare(request)
        if settings.waitsForConnectivity {
            // Waiting for a network has no limit. The system's timeout starts with the connection.
            prepared.timeoutInterval = (request.limits.connect + request.limits.firstByte).seconds
        }
        let peer = try await hosts.meaning(of: request.url.host, grants: settings.allowedNetworks)
        if request.scope == .publicOnly { try peer.requirePublic(request.url) }
        let exchange = URLSessionExchange(
            url: request.url, limits: request.limits, peer: peer.kind, time: time, onMetrics: settings.onMetrics)
        guard let task = source.task(of: prepared, for: exchange) else {
            throw CacheError(.closed, "\(request.url.authority) can't be contacted: the origin was shut down")
        }
        return try await exchange.run(task)
    }

    /// Closes all connections. Running requests fail with `cancelled`, later ones with `closed`.
    public func shutdown() { source.shutdown() }

    private static func prepare(_ request: OriginRequest) throws -> URLRequest {
        var prepared = URLRequest(url: try RequestURL.url(of: request.url))
        // The exchange enforces the time limits.
        prepared.timeoutInterval = SessionSource.noTimeout
        for field in request.headerFields {
            prepared.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
        if let credentials = request.url.credentials, request.headerFields[.authorization] == nil {
            prepared.setValue(credentials.authorization, forHTTPHeaderField: "Authorization")
        }
        return prepared
    }
}
