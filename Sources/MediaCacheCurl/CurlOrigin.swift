import CMediaCacheCurl
import Foundation
import HTTPTypes
public import MediaCache
import Synchronization

/// An origin that uses libcurl and HTTP/1.1.
///
/// The origin follows no redirects, decodes no content codings, stores no cookies, and reads neither proxy settings nor
/// passwords from the environment. Certificates are always verified. If a reader stops reading, the origin buffers
/// up to about 1 MiB and then stops receiving.
///
/// Call ``shutdown()`` when the origin is no longer needed.
public final class CurlOrigin: Origin {
    private let loops: [CurlLoop]
    private let options: CurlOptions
    private let hosts: HostAddresses

    /// Creates an origin with the default settings; nothing is connected yet.
    public convenience init() {
        self.init(CurlOptions(CurlSettings(), certificates: nil), hostAddresses: [:])
    }

    /// Creates an origin; nothing is connected yet.
    ///
    /// - Throws: `CacheError` with `storage` if a certificate file can't be read or contains no certificate.
    public convenience init(settings: CurlSettings) throws {
        try self.init(settings: settings, hostAddresses: [:])
    }

    /// Creates an origin for tests.
    ///
    /// - Parameter hostAddresses: Addresses by host name, in place of the resolver's.
    package convenience init(settings: CurlSettings, hostAddresses: [String: String]) throws {
        self.init(try CurlOptions(settings), hostAddresses: hostAddresses)
    }

    private init(_ options: CurlOptions, hostAddresses: [String: String]) {
        self.options = options
        hosts = HostAddresses(time: SystemTime(), fixed: hostAddresses)
        let count = min(4, max(1, ProcessInfo.processInfo.activeProcessorCount))
        loops = (0..<count).map { _ in CurlLoop(connectionsPerHost: options.connectionsPerHost) }
    }

    deinit { for loop in loops { loop.stop() } }

    /// Sends a request; see `Origin.send(_:)`. User information in the URL becomes `Authorization: Basic` (RFC 7617)
    /// unless that field is set.
    ///
    /// With a proxy, the scope is checked only for literal addresses and for names that are known to be local, because
    /// the proxy resolves names.
    public func send(_ request: OriginRequest) async throws -> OriginResponse {
        let url = request.url
        guard options.rule.permits(url, scope: request.scope, isProxied: options.proxy != nil) else {
            throw CurlErrorMapper.forbidden(url)
        }
        let exchange = CurlExchange(request, options: options, addresses: try await addresses(for: request))
        return try await exchange.run(on: loop(of: url))
    }

    /// Resolves the name to connect to, so that libcurl doesn't have to. Cancelling a transfer while libcurl resolves
    /// its name would block the loop's thread.
    ///
    /// - Returns: The addresses of the proxy or, without a proxy, of the URL's host; nil if that host is an address.
    private func addresses(for request: OriginRequest) async throws -> CurlExchange.Addresses? {
        let url = request.url
        let (host, port) = options.proxy.map { ($0.host, $0.port) } ?? (url.host, url.effectivePort)
        guard IPAddress(host: host) == nil else { return nil }
        guard let found = try await hosts.addresses(of: host, within: request.limits.connect) else {
            throw CacheError(.timedOut, "resolving the name \(host) took too long; check the network")
        }
        guard !found.isEmpty else {
            throw CacheError(.unreachable, "the name \(host) can't be resolved; check the name and the network")
        }
        if options.proxy == nil, !found.allSatisfy({ options.rule.permits(connected: $0, scope: request.scope) }) {
            throw CurlErrorMapper.forbidden(url)
        }
        return CurlExchange.Addresses(host: host, port: port, addresses: found.map(\.description))
    }

    /// Returns the loop of a host, so that all requests to the host share connections.
    private func loop(of url: ResourceURL) -> CurlLoop {
        loops[Int(UInt(bitPattern: url.authority.hashValue) % UInt(loops.count))]
    }

    /// Closes all connections. Running requests fail with `cancelled`, later ones with `closed`.
    public func shutdown() async {
        for loop in loops { await loop.stopped() }
    }
}
