import CMediaCacheCurl
import MediaCache

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An error of libcurl.
struct CurlFailure: Error, CustomStringConvertible {
    let code: Int
    let description: String
}

/// The mapping of libcurl's errors to cache errors.
enum CurlErrorMapper {
    /// Returns the error of a target that may not be contacted. It doesn't contain the address, so that clients can't
    /// resolve names of this network.
    static func forbidden(_ url: ResourceURL) -> CacheError {
        CacheError(
            .forbiddenAddress, "\(url.authority) isn't at a public address; allow its network if access is intended")
    }

    /// The error of a proxy that responds with 407: the credentials are missing or invalid.
    static var missingProxyCredentials: CacheError {
        CacheError(
            .unreachable, "the upstream proxy requires a valid user name and password; check the proxy's settings")
    }

    /// Returns the error of a failed transfer, or of one without a response head.
    ///
    /// - Parameters:
    ///   - hadHead: Whether the response head was received.
    ///   - wasSent: Whether the request was sent.
    static func cacheError(
        _ code: CURLcode, _ handle: CurlHandle, url: ResourceURL, hadHead: Bool, wasSent: Bool,
        limits: TransferLimits, proxy: UpstreamProxy?
    ) -> CacheError {
        let host = url.authority
        let cause = CurlFailure(code: Int(code.rawValue), description: String(cString: curl_easy_strerror(code)))
        func error(_ code: CacheError.Code, _ message: String) -> CacheError {
            CacheError(code, message, cause: cause)
        }
        let proxyStatus = mc_curl_get_long(handle.pointer, CURLINFO_HTTP_CONNECTCODE)
        if proxy != nil, !wasSent, proxyStatus != 0, !(200..<300).contains(proxyStatus) {
            return proxyStatus == 407
                ? missingProxyCredentials
                : error(
                    .unreachable,
                    "the upstream proxy didn't connect to \(host) (status \(proxyStatus)); check the proxy's settings")
        }
        if code == CURLE_PROXY, let proxy {
            return error(
                .unreachable,
                "the upstream proxy \(proxy.host):\(proxy.port) didn't connect to \(host); check the proxy's settings, "
                    + "its user name and password, and the address")
        }
        switch code {
        case CURLE_COULDNT_CONNECT:
            guard mc_curl_get_long(handle.pointer, CURLINFO_OS_ERRNO) == Int(ECONNREFUSED) else {
                let peer = proxy.map { "the upstream proxy \($0.host):\($0.port)" } ?? host
                return error(
                    .unreachable, "no connection to \(peer) could be established; check the address and the network")
            }
            // libcurl's text would add nothing.
            guard let proxy else {
                return CacheError(
                    .unreachable,
                    "connection refused by \(url.host):\(url.effectivePort); check the address, and whether the server "
                        + "is running")
            }
            return CacheError(
                .unreachable,
                "connection refused by the upstream proxy \(proxy.host):\(proxy.port); check its address and port")
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return error(.unreachable, "the name \(host) can't be resolved; check the URL and the network")
        case CURLE_OPERATION_TIMEDOUT:
            return error(
                .timedOut,
                "connecting to \(host) took longer than \(limits.connect); check the address and the network, "
                    + "or raise the limit")
        case CURLE_URL_MALFORMAT:
            return error(.invalidURL, "\(host) can't be used as a host; check the URL")
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_INITFAILED:
            return error(
                .unreachable,
                "the secure connection to \(host) failed; check its certificate, or add your own certificate "
                    + "authority")
        case CURLE_GOT_NOTHING, CURLE_OK,
            CURLE_PARTIAL_FILE where !hadHead:
            // If the connection ends within the head, libcurl reports success or a partial body.
            return CacheError(.unreachable, "\(host) closed the connection without a response; try again")
        case CURLE_PARTIAL_FILE:
            return error(.badResponse, "\(host) closed the connection before the end of the response body")
        case CURLE_WEIRD_SERVER_REPLY where mc_curl_get_long(handle.pointer, CURLINFO_NUM_CONNECTS) == 0,
            CURLE_UNSUPPORTED_PROTOCOL where mc_curl_get_long(handle.pointer, CURLINFO_NUM_CONNECTS) == 0:
            // On a new connection, the request may succeed.
            return error(.unreachable, "\(host) sent bytes beyond the previous response; try again")
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING:
            return error(.badResponse, "\(host) didn't respond with HTTP; check the URL's scheme and port")
        default:
            let failure =
                hadHead
                ? "the connection to \(host) was lost during the response body"
                : wasSent ? "the connection to \(host) was lost before the response" : "\(host) can't be reached"
            return error(.unreachable, "\(failure); try again later")
        }
    }
}
