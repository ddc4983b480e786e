import AsyncHTTPClient
import MediaCache
import MediaCacheAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The mapping of client errors to cache errors.
enum HTTPClientErrorMapper {
    /// Returns the `CacheError` for an error. Its message contains the host.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - url: The requested URL.
    ///   - hadHead: Whether the response head had been received.
    ///   - proxy: The proxy that the request uses; nil if there is none.
    static func cacheError(
        for error: any Error, url: ResourceURL, hadHead: Bool, proxy: UpstreamProxy? = nil
    ) -> CacheError {
        let host = url.authority
        switch error {
        case _ where error.isConnectionRefused:
            guard let proxy else {
                let address = "\(url.host):\(url.port ?? (url.scheme == "https" ? 443 : 80))"
                return CacheError(
                    .unreachable,
                    "connection refused by \(address); check the address, and whether the server is running")
            }
            return CacheError(
                .unreachable,
                "connection refused by the upstream proxy \(proxy.host):\(proxy.port); check its address and port")
        case let error as CacheError:
            return error
        case is CancellationError:
            return CacheError(.cancelled, "the request to \(host) was cancelled")
        case is AccessRule.Refusal:
            // The message omits the address, so that clients can't resolve names of this network.
            return CacheError(
                .forbiddenAddress,
                "\(host) isn't at a public address; allow its network if that is intended")
        case let error as HTTPClientError:
            return cacheError(for: error, host: host, hadHead: hadHead)
        case let error as NIOConnectionError:
            return connectionFailure(error, host: host)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return CacheError(
                .unreachable,
                "the secure connection to \(host) failed; check its certificate, or add your own certificate authority",
                cause: error)
        case HTTPParserError.invalidEOFState:
            return truncated(host: host, cause: error)
        case is HTTPParserError:
            return CacheError(
                .badResponse, "\(host) didn't respond with HTTP; check the URL's scheme and port", cause: error)
        default:
            let failure =
                hadHead ? "the connection to \(host) was lost during the response body" : "\(host) can't be reached"
            return CacheError(.unreachable, "\(failure); try again later", cause: error)
        }
    }

    private static func cacheError(for error: HTTPClientError, host: String, hadHead: Bool) -> CacheError {
        switch error {
        case .cancelled:
            return CacheError(.cancelled, "the request to \(host) was cancelled", cause: error)
        case .alreadyShutdown:
            return CacheError(.closed, "\(host) can't be requested: the origin client was shut down", cause: error)
        case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
            .socksHandshakeTimeout, .readTimeout, .writeTimeout, .deadlineExceeded:
            return CacheError(
                .timedOut, "\(host) didn't respond in time; check the address and the network", cause: error)
        case .remoteConnectionClosed where hadHead:
            return truncated(host: host, cause: error)
        case .remoteConnectionClosed:
            return CacheError(.unreachable, "\(host) closed the connection without a response; try again", cause: error)
        case .invalidURL, .emptyHost, .emptyScheme:
            return CacheError(.invalidURL, "\(host) can't be used as a host; check the URL", cause: error)
        case .proxyAuthenticationRequired:
            return CacheError(
                .unreachable, "the upstream proxy requires a user name and password; check the proxy's settings",
                cause: error)
        case .invalidProxyResponse:
            return CacheError(
                .unreachable, "the upstream proxy didn't connect to \(host); check the proxy's settings", cause: error)
        default:
            let code: CacheError.Code = hadHead ? .badResponse : .unreachable
            return CacheError(code, "the request to \(host) failed", cause: error)
        }
    }

    private static func connectionFailure(_ error: NIOConnectionError, host: String) -> CacheError {
        if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            return CacheError(
                .unreachable, "the name \(host) can't be resolved; check the URL and the network", cause: error)
        }
        if !error.connectionErrors.isEmpty,
            error.connectionErrors.allSatisfy({ if case ChannelError.connectTimeout = $0.error { true } else { false } }
            )
        {
            return CacheError(.timedOut, "connecting to \(host) took too long; check the address", cause: error)
        }
        return CacheError(
            .unreachable, "no connection to \(host) could be established; check the address and the network",
            cause: error)
    }

    private static func truncated(host: String, cause: any Error) -> CacheError {
        CacheError(.badResponse, "\(host) closed the connection before the end of the response body", cause: cause)
    }
}
