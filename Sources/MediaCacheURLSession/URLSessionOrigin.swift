import Foundation
import HTTPTypes
public import MediaCache
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An origin that uses the system's `URLSession`, for apps on Apple platforms.
///
/// The session respects the user's settings for proxies, VPN and Low Data Mode, supports HTTP/2 and HTTP/3, and stores
/// neither cookies nor responses. Certificates are always verified. If a reader stops reading, the task is suspended
/// once about 512 KiB are buffered.
///
/// `URLSession` has these limitations:
/// - If the path of a URL contains a dot segment, or the URL contains a `%` without two hexadecimal digits,
///   ``send(_:)`` throws `CacheError` with `invalidURL`. Other characters that aren't allowed in URLs are
///   percent-encoded.
/// - The system decodes `gzip`, `deflate` and `br`. A whole encoded body is returned decoded, without
///   `Content-Encoding` and `Content-Length`. For a range of an encoded body, ``send(_:)`` throws `badResponse`.
/// - The connected address isn't known before the request has been sent. `AddressScope.publicOnly` is therefore checked
///   before the request, against the addresses to which the host's name resolves. They are cached for a minute. The
///   lookup isn't part of the request's time limits. If the name can't be resolved, because there is no network or
///   because only a proxy can resolve it, ``send(_:)`` throws `unreachable`.
/// - The content of a request is held in memory, even that of a file. For more than 16 MiB, ``send(_:)`` throws
///   `invalidSetting`.
/// - The system adds `User-Agent`, `Accept` and `Accept-Language` unless they are set, and sends the percent-encoded
///   target. A signature must not depend on these fields, and must be computed for the encoded target.
///
/// On Linux, use it only for tests, because FoundationNetworking can't pause a transfer. If a reader falls 4 MiB
/// behind, it receives those bytes, then the error `unreachable`, after which the engine requests the rest. The system
/// may continue to receive bytes for a while, which are discarded. Servers use `CurlOrigin`.
public final class URLSessionOrigin: Origin {
    private let settings: URLSessionSettings
    private let time: any TimeSource
    private let source: SessionSource
    private let hosts: HostAddresses
    private let files = BlockingPool(label: "MediaCacheURLSession.files")
    /// The maximum number of bytes of a request's content.
    private static let maximumContent: Int64 = 16 << 20

    /// Creates an origin. It doesn't connect before the first request.
    ///
    /// - Parameter time: The clock for the time limits.
    public init(settings: URLSessionSettings = URLSessionSettings(), time: any TimeSource = SystemTime()) {
        self.settings = settings
        self.time = time
        source = SessionSource(settings)
        hosts = HostAddresses(time: time)
    }

    deinit { source.shutdown() }

    /// Sends a request, and returns when the response head has been received.
    ///
    /// User information in the URL is sent as `Authorization: Basic` (RFC 7617) unless that field is set. The time
    /// limit for the response head is the sum of `limits.connect` and `limits.firstByte`, because the session doesn't
    /// report when it has connected. While content is being sent, `limits.stall` replaces `limits.firstByte`.
    ///
    /// - Throws: `CacheError` with `invalidURL`, `invalidSetting`, `storage`, `forbiddenAddress`, `unreachable`,
    ///   `timedOut`, `badResponse`, `cancelled`, or `closed` after ``shutdown()``.
    public func send(_ request: OriginRequest) async throws -> OriginResponse {
        var prepared = try Self.prepare(request)
        if settings.waitsForConnectivity {
            // Waiting for a network has no limit. The system's timeout starts when a network is available.
            prepared.timeoutInterval = (request.limits.connect + request.limits.firstByte).seconds
        }
        let peer = try await hosts.resolve(request.url.host, allowing: settings.allowedNetworks)
        if request.scope == .publicOnly { try peer.requirePublic(request.url) }
        let content = try await content(of: request)
        let exchange = URLSessionExchange(
            url: request.url, limits: request.limits, contentLength: Int64(content?.count ?? 0), peer: peer.kind,
            time: time, onMetrics: settings.onMetrics)
        guard let task = source.task(of: prepared, sending: content, for: exchange) else {
            throw CacheError(.closed, "\(request.url.authority) can't be contacted: the origin client was shut down")
        }
        return try await exchange.run(task)
    }

    /// Closes all connections. Running requests fail with `cancelled`, later ones with `closed`.
    public func shutdown() { source.shutdown() }

    /// Returns the content of a request in memory; nil for none.
    private func content(of request: OriginRequest) async throws -> Data? {
        guard let content = request.content else { return nil }
        guard content.length <= Self.maximumContent else {
            throw CacheError(
                .invalidSetting,
                "\(content.length) bytes can't be sent to \(request.url.authority): URLSessionOrigin sends at most "
                    + "\(Self.maximumContent); send the content in parts")
        }
        return Data(content.isFile ? try await files.run { try content.bytes() } : try content.bytes())
    }

    private static func prepare(_ request: OriginRequest) throws -> URLRequest {
        var prepared = URLRequest(url: try RequestURL.url(of: request.url))
        prepared.httpMethod = request.method.rawValue
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
