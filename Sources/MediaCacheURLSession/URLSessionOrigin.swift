import Foundation
import HTTPTypes
public import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An origin over the system's `URLSession`: what an app on Apple's systems gives its store.
///
/// It goes through the proxies, the VPN and the Low Data Mode that the user has set, speaks HTTP/2 and HTTP/3 where the
/// origin does, and keeps no cookie and no cache. Certificates are always checked. A reader that stops asking stops the
/// transfer: its task is suspended with at most 512 KiB waiting here.
///
/// What `URLSession` doesn't let through:
/// - A URL whose path has a segment of dots, or a `%` that begins no encoding, is a `CacheError` with `invalidURL`; other
///   characters that may not stand in a URL are sent in percent encoding.
/// - It decodes `gzip`, `deflate` and `br` on its own. A whole body that came so is handed over decoded, without
///   `Content-Encoding` and `Content-Length`; a part of one is a `badResponse`.
/// - It doesn't tell where it connects to before it has sent the request. `AddressScope.publicOnly` goes by what the
///   host's name resolves to right before, remembered for a minute. Looking it up takes time of its own, before the limits of
///   the request count, and where only a proxy knows the name ``send(_:)`` refuses what is to be public.
///
/// On Linux it's there to be held to the contract of origins, not for use: FoundationNetworking can't pause a transfer. A
/// reader who falls 4 MiB behind gets those, and then an `unreachable` after which the engine asks for the rest; the system
/// may go on receiving for a while what nobody gets. `AsyncHTTPClientOrigin` is what servers use.
public final class URLSessionOrigin: Origin {
    private let settings: URLSessionSettings
    private let time: any TimeSource
    private let source: SessionSource
    private let hosts: HostAddresses

    /// Creates an origin; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - settings: which networks may be used, and how.
    ///   - time: what limits are measured by.
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
    /// Until the head is here `limits.connect` and `limits.firstByte` count together: the session doesn't tell when a
    /// connection stands.
    public func send(_ request: OriginRequest) async throws -> OriginResponse {
        var prepared = try Self.prepare(request)
        if settings.waitsForConnectivity {
            // The wait has no limit; the system's own one begins with the connection.
            prepared.timeoutInterval = (request.limits.connect + request.limits.firstByte).seconds
        }
        let peer = try await hosts.meaning(of: request.url.host, grants: settings.allowedNetworks)
        if request.scope == .publicOnly { try peer.requirePublic(request.url) }
        let exchange = URLSessionExchange(
            url: request.url, limits: request.limits, peer: peer.kind, time: time, onMetrics: settings.onMetrics)
        guard let task = source.task(of: prepared, for: exchange) else {
            throw CacheError(.closed, "\(request.url.authority) can't be asked any more: the origin was shut down")
        }
        return try await exchange.run(task)
    }

    /// Closes all connections; requests that run fail with `cancelled`, later ones with `closed`.
    public func shutdown() { source.shutdown() }

    private static func prepare(_ request: OriginRequest) throws -> URLRequest {
        var prepared = URLRequest(url: try RequestURL.url(of: request.url))
        // Each exchange has limits of its own.
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
